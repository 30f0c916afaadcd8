import type { JsonObject } from '../../src/core/json.ts'
import type { Message, Publisher } from '../../src/runtime/publishers/publisher.ts'
import type { Life } from './life.ts'
import { POLICY } from './protocols.ts'
import type { Scene } from './scene.ts'
import { short } from './trace.ts'

/** How often a publish goes one way or the other. */
const WAYS = {
  'taken and delivered': 50,
  'delivered before it is taken': 12,
  'delivered twice': 8,
  'taken and lost': 6,
  'refused and lost': 8,
  'refused and delivered': 5,
  'silent until told to stop': 5,
  'silent for longer than that': 3,
} as const

type Way = keyof typeof WAYS

/** Longest that a directive is on its way, which is longer than others take: so they arrive in another order. */
const SLOWEST_MS = 7000

/** Brings directives to services, and does all that brokers do to them. */
export class Broker {
  readonly #scene: Scene
  readonly #deliver: (directive: JsonObject) => void

  constructor(scene: Scene, deliver: (directive: JsonObject) => void) {
    this.#scene = scene
    this.#deliver = deliver
  }

  /** What a process has of it. */
  publisher(life: Life): Publisher {
    return { publish: (message, signal) => this.#publish(life, message, signal) }
  }

  async #publish(life: Life, message: Message, signal: AbortSignal): Promise<void> {
    const { dice, trace, laws, world, troubles } = this.#scene
    const way: Way = this.#scene.isCalm ? 'taken and delivered' : dice.weighed(WAYS)
    const { outbox_id, tries, directive } = message
    trace.add(`publish ${short(outbox_id)} try ${tries}: ${way}`)
    const pass = (ms: number) => new Promise<void>((resolve) => life.timers.after(ms, resolve))
    if (way === 'delivered before it is taken' || way === 'refused and delivered') this.#send(directive, 0)
    if (way === 'silent until told to stop') {
      if (dice.chance(0.5)) this.#send(directive, SLOWEST_MS)
      await new Promise<void>((_, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason as Error))
      })
    }
    if (way === 'silent for longer than that') await pass(POLICY.publish_timeout_ms + dice.between(0, 4000))
    else await pass(dice.between(0, 60))
    if (way.startsWith('refused')) {
      // If the dispatcher has time enough to write this down, it has to.
      if (!troubles.isFull)
        laws.sending.refused(outbox_id, tries, 'BROKER_DOWN', Math.max(world.clock.now(), laws.shadow.now))
      throw Object.assign(new Error('the broker is down'), { code: 'BROKER_DOWN' })
    }
    laws.sending.took(outbox_id)
    if (way === 'taken and delivered' || way === 'delivered twice') this.#send(directive, dice.between(0, 40))
    if (way === 'delivered twice') this.#send(directive, dice.between(0, SLOWEST_MS))
    if (way === 'silent for longer than that') this.#send(directive, SLOWEST_MS)
  }

  #send(directive: JsonObject, ms: number): void {
    const { dice, isCalm } = this.#scene
    const isSlow = !isCalm && dice.chance(0.1)
    this.#scene.after(isSlow ? dice.between(0, SLOWEST_MS) : ms, () => this.#deliver(directive))
  }
}
