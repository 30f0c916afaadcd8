// What a system under test looks like to the workloads: one adapter each, in systems/.

/** What every system is given: 200 bytes as JSON. */
export interface Payload {
  readonly n: number
  /** When it was due to be submitted, in milliseconds since 1970, for the latency. */
  readonly at: number
  readonly text: string
}

/** A job of one step, or of three that follow each other and are each durable. */
export type Sort = 'one' | 'three'

/** Where a system may keep what it keeps: an empty folder, an empty database, a Redis, a Restate. */
export interface Place {
  readonly folder: string
  readonly postgres: string | null
  readonly redisPort: number | null
  readonly restate: RestatePorts | null
  /** Made to be a history, not to be measured: nothing has to wait for the disk. */
  readonly isHistory: boolean
}

export interface RestatePorts {
  readonly ingress: number
  readonly admin: number
}

export interface WorkOptions {
  readonly sort: Sort
  /** How many jobs will be done in all. */
  readonly count: number
  /** Called first in the handler, of the last step if there are three. */
  readonly onStart: (payload: Payload) => void
}

export interface Working {
  /** Comes when all of them are done, and what became of them is where the system keeps it. */
  readonly done: Promise<void>
  stop(): Promise<void>
}

export interface Opened {
  /** Comes when the system says that it has it. */
  submit(payload: Payload, sort: Sort): Promise<unknown>
  /** Null: it has no way to submit many at once. */
  readonly submitMany: ((payloads: readonly Payload[]) => Promise<unknown>) | null
  work(options: WorkOptions): Promise<Working>
  /** Does now what a system does by itself in the background when it has the time. */
  readonly settle?: () => Promise<unknown>
  /** Makes so many finished jobs out of those that there are, where doing them all would take too long. */
  readonly multiplyHistory?: (copies: number) => Promise<void>
  close(): Promise<void>
}

export interface Adapter {
  open(place: Place): Promise<Opened>
}

/** Counts to a number of jobs. */
export class Countdown {
  readonly done: Promise<void>
  readonly #resolve: () => void
  #left: number

  constructor(count: number) {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.done = promise
    this.#resolve = resolve
    this.#left = count
  }

  tick(jobs = 1): void {
    this.#left -= jobs
    if (this.#left <= 0) this.#resolve()
  }
}

const BYTES = 200

/** Processes that open the same place must not ask for the same: to some systems that would be the same job. */
let made = process.pid * 1_000_000

/** Another payload than all before it in this process. */
export function nextPayload(at = 0): Payload {
  const payload = { n: ++made, at, text: '' }
  return { ...payload, text: 'x'.repeat(Math.max(0, BYTES - JSON.stringify(payload).length)) }
}
