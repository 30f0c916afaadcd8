import { pause } from '../../src/world/pause.ts'
import type { FakeOptions, FakeRequest } from '../azure-tables/fake-table-service.ts'
import type { Dice } from './dice.ts'
import type { MortalTimers } from './mortal-timers.ts'
import type { Scene } from './scene.ts'

/** Longest that a request is under way, and its answer: usually, and in troubled times. */
const USUALLY_MS = 4
export const SLOWEST_MS = 6000

/** Longest until a request is made again whose connection was lost. */
const AGAIN_MS = 300

/** Requests of which something becomes that nobody wants, of a thousand. */
const BADNESS = [0, 3, 15, 40] as const

/** The same while the service is hard to reach. */
const WORST = 300

/** More writes than most lives make: then they do not end by one. */
const MOST_WRITES = 300

const FATES = {
  'slow to arrive': 3,
  'slow to be answered': 3,
  'lost on its way': 3,
  'lost on its way back': 4,
} as const

type Fate = keyof typeof FATES | 'as usual'

const DEATHS = ['before it is sent', 'while it is on its way', 'before it is answered'] as const

export interface WireParts {
  readonly scene: Scene
  readonly timers: MortalTimers
  /** The process ends. */
  readonly onDeath: () => void
  /** The service has heard a request, and has done it or refused it. */
  readonly onHeard: (request: FakeRequest) => void
}

/**
 * The way from one process to its account and back. What was sent arrives also when the process is gone, or sleeps; what
 * comes back does not reach it then, and it sends nothing more.
 */
export class Wire implements Pick<FakeOptions, 'before' | 'after'> {
  readonly #parts: WireParts
  readonly #dice: Dice
  readonly #badness: number
  readonly #fates = new WeakMap<FakeRequest, Fate>()
  /** The last write before its end: a process that only reads leaves nothing half done. */
  readonly #death: { readonly nth: number; readonly how: (typeof DEATHS)[number] } | null
  readonly #writes = new WeakMap<FakeRequest, number>()
  #written = 0

  constructor(parts: WireParts) {
    const { dice } = parts.scene
    this.#parts = parts
    this.#dice = dice
    this.#badness = dice.oneOf(BADNESS)
    this.#death = dice.chance(0.6) ? { nth: dice.between(1, MOST_WRITES), how: dice.oneOf(DEATHS) } : null
  }

  readonly before = async (request: FakeRequest): Promise<undefined | 'lost'> => {
    const { scene, timers } = this.#parts
    if (request.verb === 'write') this.#writes.set(request, ++this.#written)
    if (timers.isDead || this.#dies(request, 'before it is sent')) return NEVER
    this.#dies(request, 'while it is on its way')
    const fate = this.#fate()
    this.#fates.set(request, fate)
    if (fate !== 'as usual') this.#tell(request, fate)
    if (fate === 'lost on its way') {
      await pause(timers, this.#dice.between(1, AGAIN_MS))
      return 'lost'
    }
    // In the time of the simulation, and not of the process.
    await pause(scene.world.timers, this.#ms(fate === 'slow to arrive'))
    return undefined
  }

  readonly after = async (request: FakeRequest): Promise<undefined | 'lost'> => {
    const { timers, onHeard } = this.#parts
    onHeard(request)
    if (this.#dies(request, 'before it is answered')) return NEVER
    const fate = this.#fates.get(request) as Fate
    await pause(timers, this.#ms(fate === 'slow to be answered'))
    return fate === 'lost on its way back' ? 'lost' : undefined
  }

  #fate(): Fate {
    const { isCalm, troubles } = this.#parts.scene
    if (isCalm) return 'as usual'
    const bad = troubles.isFull ? WORST : this.#badness
    return bad > 0 && this.#dice.between(1, 1000) <= bad ? this.#dice.weighed(FATES) : 'as usual'
  }

  #ms(isSlow: boolean): number {
    return this.#dice.between(isSlow ? USUALLY_MS : 0, isSlow ? SLOWEST_MS : USUALLY_MS)
  }

  #dies(request: FakeRequest, how: (typeof DEATHS)[number]): boolean {
    const { scene, timers, onDeath } = this.#parts
    if (scene.isCalm || timers.isDead || this.#death === null || this.#death.how !== how) return false
    if (this.#writes.get(request) !== this.#death.nth) return false
    scene.trace.add(`dies at a write of ${request.table} ${request.pk}, ${how}`)
    onDeath()
    return true
  }

  /** Whoever waits for it may be too late with what they have to say. */
  #tell({ verb, table, pk }: FakeRequest, fate: Fate): void {
    const { trace, laws } = this.#parts.scene
    trace.add(`a ${verb} of ${table} ${pk} is ${fate}`)
    laws.sending.forgive()
  }
}

const NEVER: Promise<never> = new Promise(() => {})
