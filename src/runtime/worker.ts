import { type Duration, durationMs } from '../core/duration.ts'
import type { Held } from '../core/pick.ts'
import { InvalidInput } from '../errors/input-errors.ts'
import { checkCount, checkId } from '../ledger/check-input.ts'
import type { Work } from '../ledger/claim.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { WorkAborted } from '../wire/work-aborted.ts'
import type { Timer } from '../world/timers.ts'
import type { World } from '../world/world.ts'
import { AttemptRun, type AttemptsBy } from './attempt-run.ts'
import type { Handler, Handlers } from './handler.ts'
import { nextFree, TenantLoad } from './load.ts'
import { BUSY, type Service } from './service.ts'
import { WakefulLoop } from './wakeful-loop.ts'

export interface WorkerOptions {
  /** Shown as the holder of the lease and in the history. */
  readonly name?: string | undefined
  /** Most handlers that run at once. */
  readonly concurrency?: number | undefined
  /** How long handlers may go on when the worker is stopped, before they are told to stop as well. */
  readonly grace?: Duration | undefined
}

const DEFAULT_CONCURRENCY = 10
const DEFAULT_GRACE_MS = 10_000

/** When told to stop, handlers have so long to do so before their steps are given back without them. */
const LAST_MS = 1000

/** Claimed at once. */
const MOST_AT_ONCE = 250

/** Results being written while their handlers are done already: more than these, and nothing new is claimed. */
const MOST_UNWRITTEN = 1000

/** Claims ready steps and has handlers do them, several at once. */
export class Worker implements Service {
  readonly name: string
  readonly #ledger: Ledger
  readonly #world: World
  readonly #handlers: ReadonlyMap<string, Handler>
  readonly #concurrency: number
  readonly #graceMs: number
  readonly #loop: WakefulLoop
  /** Claims as well, while there is more than one claim takes: what one has claimed is written while the next is decided. */
  readonly #second: WakefulLoop
  readonly #load = new TenantLoad()
  readonly #by: AttemptsBy
  readonly #runs = new Set<AttemptRun>()
  readonly #ends: (() => void)[] = []
  #working = 0
  /** Room that claims under way have for themselves. */
  #claiming = 0
  /** The last claim got as much as it asked for. */
  #isMore = false
  #hold: Timer | null = null
  #stopping: Promise<void> | null = null

  constructor(ledger: Ledger, world: World, handlers: Handlers, options: WorkerOptions = {}) {
    this.#ledger = ledger
    this.#world = world
    this.#handlers = checkHandlers(handlers)
    this.name = options.name === undefined ? 'worker' : checkId('name', options.name)
    this.#concurrency = checkConcurrency(options.concurrency)
    this.#graceMs = checkGrace(options.grace)
    this.#by = {
      jobs: ledger.jobs,
      world,
      worker: this.name,
      onHandled: this.#handled,
      onDone: this.#done,
    }
    this.#loop = new WakefulLoop(this.name, world, () => this.#turn())
    this.#second = new WakefulLoop(this.name, world, () => this.#turnBeside())
  }

  /** Handlers that are at work. */
  get running(): number {
    return this.#working
  }

  start(): void {
    if (this.#loop.isStopped || this.#hold !== null) return
    this.#hold = this.#world.timers.hold()
    this.#ends.push(
      this.#ledger.onNews(
        () => {
          if (this.#working >= this.#concurrency) return
          // What is about to be ready can only be taken along by whoever comes at once.
          if (this.#loop.isInTurn) this.#second.wake()
          this.#loop.wake()
        },
        { takesWork: true },
      ),
      this.#ledger.onSteered(({ tenant_id, job_id }) => {
        for (const run of this.#runs) {
          const { task } = run
          if (task.job_id === job_id && task.tenant_id === tenant_id) run.ask()
        }
      }),
    )
    this.#loop.start()
    this.#second.start()
  }

  /** Claims nothing more, lets handlers finish for a while, then tells them to stop and gives back what they held. */
  stop(): Promise<void> {
    this.#stopping ??= this.#stop()
    return this.#stopping
  }

  get restsUntil(): number | null {
    return this.#runs.size > 0 || this.#claiming > 0 ? BUSY : this.#loop.restsUntil
  }

  onAsleep(listener: () => void): () => void {
    return this.#loop.onAsleep(listener)
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop()
  }

  get #hasRoom(): boolean {
    return (
      this.#working + this.#claiming < this.#concurrency &&
      this.#runs.size < this.#concurrency + MOST_UNWRITTEN
    )
  }

  async #turn(): Promise<number | null> {
    if (!this.#hasRoom) return null
    const limit = Math.min(this.#concurrency - this.#working - this.#claiming, MOST_AT_ONCE)
    let held: readonly Held[] = []
    this.#claiming += limit
    if (this.#isMore) this.#second.wake()
    try {
      const works = await this.#ledger.jobs.claim({
        queues: [...this.#handlers.keys()],
        worker: this.name,
        limit,
        running: this.#load.byTenant,
        onHeld: (all) => {
          held = all
        },
      })
      if (works.length > 0) this.#begin(works)
      this.#isMore = works.length === limit
      // There may be more: it was not all looked at.
      if (works.length > 0) this.#loop.wake()
    } finally {
      this.#claiming -= limit
    }
    return nextFree(held, null)
  }

  async #turnBeside(): Promise<null> {
    if (!this.#isMore && !this.#loop.isInTurn) return null
    try {
      await this.#turn()
    } finally {
      // There may have been news while this one had all the room for itself.
      this.#loop.wake()
    }
    return null
  }

  #begin(works: readonly Work[]): void {
    const runs = works.map((work) => {
      const run = new AttemptRun(this.#by, work)
      this.#working++
      this.#load.add(run.task.tenant_id)
      this.#runs.add(run)
      return run
    })
    // All of them are under way before the first handler begins.
    queueMicrotask(() => {
      for (const run of runs) run.start(this.#handlers.get(run.task.queue) as Handler)
    })
  }

  /** There is room for another as soon as the handler is done: its result is written while the next one is claimed. */
  readonly #handled = ({ task }: AttemptRun): void => {
    this.#working--
    this.#load.remove(task.tenant_id)
    this.#loop.wake()
  }

  readonly #done = (run: AttemptRun): void => {
    this.#runs.delete(run)
    this.#loop.wake()
  }

  async #stop(): Promise<void> {
    await Promise.all([this.#loop.stop(), this.#second.stop()])
    const runs = () => Promise.all([...this.#runs].map(({ done }) => done))
    await this.#within(this.#graceMs, runs())
    const stopped = new WorkAborted('STOPPED', 'The worker stops')
    for (const run of this.#runs) run.abort(stopped)
    await this.#within(LAST_MS, runs())
    await Promise.all([...this.#runs].map((run) => run.release('Its worker stopped')))
    for (const end of this.#ends) end()
    this.#hold?.cancel()
  }

  async #within(ms: number, what: Promise<unknown>): Promise<void> {
    if (this.#runs.size === 0) return
    let timer: Timer | undefined
    const over = new Promise<void>((resolve) => {
      timer = this.#world.timers.after(ms, resolve)
    })
    await Promise.race([what, over])
    timer?.cancel()
  }
}

function checkHandlers(handlers: Handlers): ReadonlyMap<string, Handler> {
  const entries = Object.entries(handlers ?? {})
  if (entries.length === 0) {
    throw new InvalidInput(
      'handlers',
      'There is no handler',
      'Give one for each queue: { renderer: async (work) => … }.',
    )
  }
  for (const [queue, handler] of entries) {
    checkId('handlers', queue)
    if (typeof handler !== 'function') {
      throw new InvalidInput(
        `handlers.${queue}`,
        `The handler of ${queue} is not a function`,
        'Give a function.',
      )
    }
  }
  return new Map(entries)
}

function checkConcurrency(concurrency: number = DEFAULT_CONCURRENCY): number {
  if (checkCount('concurrency', concurrency) > 0) return concurrency
  throw new InvalidInput('concurrency', 'concurrency must be at least 1', 'Leave it out for the default.')
}

function checkGrace(grace: Duration = DEFAULT_GRACE_MS): number {
  const ms = durationMs(grace)
  if (ms !== null) return ms
  throw new InvalidInput('grace', `${grace} is not a span of time`, 'Give milliseconds, or text such as 30s.')
}
