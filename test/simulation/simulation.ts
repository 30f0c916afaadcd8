import { SECOND_MS } from '../../src/core/time.ts'
import type { Store } from '../../src/store/store.ts'
import { accountFor } from './account.ts'
import { mustBeAtRest, mustHaveOutputs } from './at-the-end.ts'
import { Broker } from './broker.ts'
import { CallbackLine } from './callback-line.ts'
import { leftBehindMs, longestMs, Promptness } from './calm-times.ts'
import { Client } from './client.ts'
import { ClientActions } from './client-actions.ts'
import type { Fault } from './faults/fault.ts'
import { law } from './law-broken.ts'
import { notFollowed } from './laws/staging.ts'
import type { Life } from './life.ts'
import { LocalWork } from './local-work.ts'
import { RemoteServices } from './remote-services.ts'
import { type Engine, Scene } from './scene.ts'
import { SimulatedProcess } from './simulated-process.ts'

/** How long everything goes on before calm is restored. */
const LEAST_MS = 40 * SECOND_MS
const MOST_MS = 120 * SECOND_MS

/** Laws that were broken are looked at so often. */
const SLICE_MS = 1000

/** In calm times there is a look at everything so often. */
const LOOK_MS = 2000

const LONGEST_HALT_MS = 30 * SECOND_MS
/** Where there are others, it may be so long that they take it to be gone. */
const LONGEST_SLEEP_MS = 100 * SECOND_MS
const LONGEST_FULL_MS = 20 * SECOND_MS
const FARTHEST_JUMP_MS = 60 * SECOND_MS

/** After the last failure a service may pause for so long. */
const SORRY_MS = 32 * SECOND_MS

/** Who sleeps notices after so long that the clock was set forward. */
const UNAWARE_MS = 62 * SECOND_MS

/** It is down for a while, halted for a while, or closing, which waits for handlers and publishes. */
const LONGEST_START_MS = 60 * SECOND_MS + LONGEST_SLEEP_MS

/** Longest that anybody has to wait for an answer when all is well. */
const LONGEST_ANSWER_MS = 60 * SECOND_MS

const MISFORTUNES = {
  'the power goes': 3,
  'it is killed': 3,
  restart: 2,
  halt: 4,
  'change worker': 5,
  'full disk': 3,
  'failed sync': 2,
  'clock set': 4,
} as const

/** One run: the whole system, everybody around it, and what befalls them. */
export class Simulation {
  readonly scene: Scene
  readonly #processes: readonly SimulatedProcess[]
  readonly #work: LocalWork
  /** How long into calm times things may still be late. */
  #patienceMs = SORRY_MS
  readonly #client: Client
  readonly #actions: ClientActions

  constructor(engine: Engine, seed: number, fault?: Fault) {
    this.scene = new Scene(engine, seed, fault)
    const account = accountFor(this.scene)
    // Where the ledger is elsewhere, several may have it at the same time.
    const count = account === null ? 1 : this.scene.dice.oneOf([1, 2, 2, 3])
    const life = () => this.#anyLife()
    const line = new CallbackLine(this.scene, life)
    const services = new RemoteServices(this.scene, line)
    const broker = new Broker(this.scene, (directive) => services.receive(directive))
    this.#work = new LocalWork(this.scene)
    const around = {
      account,
      publisher: (own: Life) => broker.publisher(own),
      handlers: (own: Life, worker: string) => this.#work.handlers(own, worker),
    }
    this.#processes = Array.from({ length: count }, () => new SimulatedProcess(this.scene, around))
    this.#client = new Client(this.scene, life)
    this.#actions = new ClientActions(this.scene, this.#client)
  }

  /** Throws when a law was broken. */
  async play(): Promise<void> {
    const { dice } = this.scene
    for (const process of this.#processes) process.start()
    const end = dice.between(LEAST_MS, MOST_MS)
    this.#keepActing(end)
    this.#keepFailing(end, dice.oneOf([5, 15, 40]) * SECOND_MS)
    await this.#pass(end)
    await this.#calm()
    await this.#rest()
  }

  #keepActing(left: number): void {
    const { dice } = this.scene
    const ms = dice.chance(0.2) ? 0 : dice.between(0, 5 * SECOND_MS)
    if (ms > left) return
    this.scene.after(ms, () => {
      this.#keepActing(left - ms)
      return this.#actions.act()
    })
  }

  #keepFailing(left: number, every: number): void {
    const { dice } = this.scene
    const ms = dice.between(0, 2 * every)
    if (ms > left) return
    this.scene.after(ms, () => {
      this.#keepFailing(left - ms, every)
      return this.#befall(dice.weighed(MISFORTUNES))
    })
  }

  async #befall(what: keyof typeof MISFORTUNES): Promise<void> {
    const { dice, trace, troubles, laws } = this.scene
    trace.add(`misfortune: ${what}`)
    const process = this.#anyOf(this.#processes)
    switch (what) {
      case 'the power goes':
      case 'it is killed':
        return process.end(what)
      case 'restart':
        return process.restart()
      case 'change worker':
        return process.changeWorker()
      case 'halt':
        return process.halt(dice.between(SECOND_MS, this.#longestHaltMs))
      case 'full disk':
        troubles.isFull = true
        laws.sending.forgive()
        return this.scene.after(dice.between(SECOND_MS, LONGEST_FULL_MS), () => {
          troubles.isFull = false
        })
      case 'failed sync':
        troubles.failsNextSync = true
        return this.#whenFailed()
      case 'clock set': {
        const { clock } = this.scene.world
        clock.jumpTo(clock.now() + dice.between(-FARTHEST_JUMP_MS, FARTHEST_JUMP_MS))
        this.#patienceMs = UNAWARE_MS
        laws.sending.forgive()
      }
    }
  }

  /** Somebody notices that the ledger does not write any more, and starts the process again. */
  #whenFailed(): void {
    const { dice, troubles } = this.scene
    this.scene.after(dice.between(1, 8 * SECOND_MS), () => {
      if (troubles.hasFailed) this.#only.end(dice.chance(0.5) ? 'the power goes' : 'it is killed')
      else if (troubles.failsNextSync) this.#whenFailed()
    })
  }

  async #calm(): Promise<void> {
    const { troubles, world, laws } = this.scene
    troubles.isFull = false
    troubles.failsNextSync = false
    this.scene.calm()
    for (const process of this.#processes) process.calm()
    if (troubles.hasFailed) this.#only.end('it is killed')
    await this.#untilAllAreUp()
    // What was asked while it was halted comes first: a queue may be paused by it.
    for (let passed = 0; this.#client.asked > 0; passed += SLICE_MS) {
      law(passed <= LONGEST_ANSWER_MS, () => 'somebody asked in troubled times, and was never answered')
      await this.#pass(SLICE_MS)
    }
    await this.#pass(SLICE_MS, () => this.#actions.clearUp())
    const leftMs = this.#leftBehindMs()
    const bound = longestMs(laws.shadow, world.clock.now()) + leftMs
    const promptness = new Promptness()
    for (let passed = 0; laws.shadow.openJobs().length > 0; passed += LOOK_MS) {
      const [slowest] = laws.shadow.openJobs()
      law(
        passed <= bound,
        () => `job ${slowest?.job.job_id} has not ended ${bound} ms after everything was in order`,
      )
      await this.#pass(LOOK_MS)
      if (passed < this.#patienceMs + leftMs) continue
      await this.#look((store) => promptness.check(store, laws.shadow, world.clock.now()))
    }
    await this.#pass(LOOK_MS)
    for (let passed = 0; notFollowed(laws.shadow) !== null; passed += LOOK_MS) {
      law(passed <= SORRY_MS + UNAWARE_MS + leftMs, () => String(notFollowed(laws.shadow)))
      await this.#pass(LOOK_MS)
    }
    // Nobody hears of what is left half done before somebody else has seen to it.
    await this.#pass(leftMs)
    const { waiting } = this.#client
    law(waiting.size === 0, () => `somebody still waits for ${[...waiting].join(', ')}, which have ended`)
  }

  async #rest(): Promise<void> {
    const { laws, trace } = this.scene
    await this.#look((store) => mustBeAtRest(store, laws.shadow))
    for (const process of this.#processes) await this.#pass(0, () => process.restart())
    await this.#untilAllAreUp()
    await this.#look((store) => mustBeAtRest(store, laws.shadow))
    await this.#look(async () => {
      await this.#anyLife()?.ask((ledger) => mustHaveOutputs(ledger, laws.shadow))
    })
    trace.add(`${laws.shadow.jobs.size} jobs, ${laws.shadow.etag} changes`)
  }

  /** Looks at the store while time passes: a look may have to wait for the disk. */
  async #look(look: (store: Store) => Promise<void>): Promise<void> {
    const { observed } = this.#anyOf(this.#processes)
    if (observed !== null) await this.#pass(0, () => look(observed))
  }

  /** The one that there is, where there is only one. */
  get #only(): SimulatedProcess {
    return this.#processes[0] as SimulatedProcess
  }

  /** Whoever asks something asks any of those that are there. */
  #anyLife(): Life | null {
    const lives = this.#processes.flatMap(({ life }) => life ?? [])
    return lives.length === 0 ? null : this.#anyOf(lives)
  }

  #anyOf<T>(all: readonly T[]): T {
    return all.length === 1 ? (all[0] as T) : this.scene.dice.oneOf(all)
  }

  get #longestHaltMs(): number {
    const isLong = this.#processes.length > 1 && this.scene.dice.chance(0.3)
    return isLong ? LONGEST_SLEEP_MS : LONGEST_HALT_MS
  }

  #leftBehindMs(): number {
    const { engine, laws, world } = this.scene
    return engine === 'azure-tables' ? leftBehindMs(laws.shadow, world.clock.now()) : 0
  }

  async #untilAllAreUp(): Promise<void> {
    const isUp = ({ life }: SimulatedProcess) => life?.isHalted === false && !life.isClosing
    for (let passed = 0; !this.#processes.every(isUp); passed += SLICE_MS) {
      law(passed <= LONGEST_START_MS, () => 'the process does not start')
      await this.#pass(SLICE_MS)
    }
  }

  /** Lets time pass, in pieces: nothing goes on after a law was broken. */
  async #pass(ms: number, act?: () => Promise<void>): Promise<void> {
    let isDone = act === undefined
    if (act !== undefined) {
      this.scene.do(async () => {
        await act()
        isDone = true
      })
    }
    for (let left = ms; left > 0 || !isDone; left -= SLICE_MS) {
      law(left > -LONGEST_ANSWER_MS, () => 'somebody asked in calm times, and was never answered')
      await this.scene.world.advanceBy(Math.min(SLICE_MS, left > 0 ? left : SLICE_MS))
      if (this.scene.broken !== null) throw this.scene.broken
      for (const { life } of this.#processes) {
        if (life !== null && !life.isHalted) this.#work.mustBegin(life)
      }
    }
  }
}
