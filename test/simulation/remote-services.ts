import type { StepResult } from '../../src/core/job/commands.ts'
import type { JsonObject } from '../../src/core/json.ts'
import { SECOND_MS } from '../../src/core/time.ts'
import type { CallbackLine, Speaker } from './callback-line.ts'
import { madeBy } from './laws/attempts.ts'
import { OUTPUT_LIMIT_BYTES } from './life.ts'
import { POLICY } from './protocols.ts'
import type { Scene } from './scene.ts'
import { short } from './trace.ts'

const WAYS = {
  'does it': 60,
  'takes long': 8,
  'fails for now': 12,
  'fails for good': 3,
  'falls silent': 4,
  'does not even answer': 4,
  'comes back late': 6,
  'says nothing until it is done': 5,
} as const

/** Longest that an honest service takes for its work. */
export const HONEST_WORK_MS = 3 * SECOND_MS

const BEAT_MS = POLICY.lease_ms / 3

/** The services at the other end of the broker: a directive that comes twice is carried out once. */
export class RemoteServices {
  readonly #scene: Scene
  readonly #line: CallbackLine
  readonly #seen = new Set<string>()

  constructor(scene: Scene, line: CallbackLine) {
    this.#scene = scene
    this.#line = line
  }

  receive(directive: JsonObject): void {
    const { dice, trace, laws, isCalm } = this.#scene
    const speaker: Speaker = {
      tenant_id: String(directive.tenant_id),
      job_id: String(directive.jobId),
      step_id: String(directive.stepId),
      attempt_no: Number(directive.attempt_no),
      lease_id: String(directive.lease_id),
    }
    laws.sending.arrived(speaker.lease_id)
    const name = `${speaker.job_id}/${speaker.step_id}/${speaker.attempt_no}/${speaker.lease_id}`
    if (this.#seen.has(name)) return
    this.#seen.add(name)
    const way = isCalm ? 'does it' : dice.weighed(WAYS)
    trace.add(`service ${speaker.step_id} got ${short(speaker.lease_id)}: ${way}`)
    if (way === 'does not even answer') return
    if (way !== 'says nothing until it is done') this.#line.send(speaker, { says: 'ack' })
    if (way === 'falls silent') return
    if (way === 'takes long') this.#beat(speaker)
    this.#scene.after(this.#workMs(way), () => {
      this.#beating.delete(speaker.lease_id)
      this.#line.send(speaker, { says: 'result', result: this.#result(speaker, way) })
    })
  }

  readonly #beating = new Set<string>()

  #beat(speaker: Speaker): void {
    this.#beating.add(speaker.lease_id)
    const beat = () => {
      if (!this.#beating.has(speaker.lease_id)) return
      this.#line.send(speaker, { says: 'heartbeat' }, ({ cancel }) => {
        if (cancel) this.#beating.delete(speaker.lease_id)
      })
      this.#scene.after(BEAT_MS, beat)
    }
    this.#scene.after(BEAT_MS, beat)
  }

  #workMs(way: keyof typeof WAYS): number {
    const { dice } = this.#scene
    if (way === 'takes long') return dice.between(HONEST_WORK_MS, 25 * SECOND_MS)
    if (way === 'comes back late') return POLICY.lease_ms + dice.between(0, 20 * SECOND_MS)
    return dice.between(0, HONEST_WORK_MS)
  }

  #result({ lease_id }: Speaker, way: keyof typeof WAYS): StepResult {
    if (way === 'fails for now' || way === 'fails for good') {
      const failure_class = way === 'fails for now' ? 'RETRYABLE' : 'NON_RETRYABLE'
      const error = { code: 'SERVICE_FAILED', message: `it did not work, ${madeBy(lease_id)}` }
      return { status: 'FAILED', failure_class, error }
    }
    const output = outputOf(lease_id, this.#scene.dice.chance(0.1))
    return { status: 'SUCCEEDED', output, output_ref: madeBy(lease_id) }
  }
}

/** What an attempt makes: a large output goes to a file. */
export function outputOf(lease_id: string, isLarge: boolean): JsonObject {
  return { by: lease_id, ...(isLarge ? { filling: 'x'.repeat(2 * OUTPUT_LIMIT_BYTES) } : null) }
}
