// A ledger in PostgreSQL at work while the server is troubled: callers who submit and wait for results, callers who
// submit within transactions of their own, workers, and followers. All of them keep what they were told, so that it can be
// compared with what is there when all is quiet.
import pg from 'pg'
import { type Ledger, openLedger, type Protocol, type StepWork, WaybillError } from 'waybill'
import type { SeededRandom } from '../../src/testing/seeded-random.ts'
import { debugLogger } from '../../src/world/logger.ts'
import { systemTimers } from '../../src/world/timers.ts'
import { within } from '../fixtures/within.ts'
import { Follower } from './follower.ts'

/** Nobody waits longer for anything, whatever happens to the server meanwhile. */
const LONGEST_CALL_MS = 20_000

/** What a caller may be told while the server is away. */
const EXPECTED = new Set(['SERVER_UNAVAILABLE', 'OUTCOME_UNKNOWN'])
/** What a worker may be told as well: its lease ran out while it could not report. */
const EXPECTED_AT_WORK = new Set([...EXPECTED, 'LEASE_MISMATCH'])

const LEASE_MS = 1200
/** Now and then work takes so long that heartbeats are needed. */
const LONG_WORK_MS = 900
const LONG_WORK_SHARE = 0.01

const CALLERS = 4
const AT_ONCE = 5
const MOST_TRIES = 50

const step = (step_id: string) =>
  ({
    step_id,
    step_type: 'WORK',
    service: 'worker',
    delivery: 'pull',
    policy: {
      lease_ms: LEASE_MS,
      max_attempts: 100,
      backoff: { kind: 'none', baseMs: 0, capMs: 0 },
    },
  }) as const

const PROTOCOLS: readonly Protocol[] = [
  { protocol_id: 'one.v1', request_type: 'ONE', steps: [step('only')] },
  { protocol_id: 'three.v1', request_type: 'THREE', steps: ['first', 'second', 'third'].map(step) },
]

export interface BusyOptions {
  readonly url: string
  readonly schema: string
  readonly random: SeededRandom
}

export class BusyLedger {
  readonly ledgers: readonly Ledger[]
  readonly followers: readonly Follower[]
  /** Jobs that callers were told of, by the key they asked with. */
  readonly answered = new Map<string, string>()
  /** Keys of requests that were part of transactions. */
  readonly promised = new Set<string>()
  /** What jobs came to, as callers were told. */
  readonly results = new Map<string, unknown>()
  /** How often each attempt was worked at. */
  readonly attempts = new Map<string, number>()
  readonly #options: BusyOptions
  readonly #problems: unknown[]
  readonly #callers: Promise<unknown>[] = []
  #happened = 0
  #more = Promise.withResolvers<void>()
  #isOver = false
  #keys = 0

  private constructor(options: BusyOptions, ledgers: readonly Ledger[], problems: unknown[]) {
    this.#options = options
    this.ledgers = ledgers
    this.#problems = problems
    const onError = (error: unknown) => mustBeExpected(error, EXPECTED)
    this.followers = ledgers.flatMap((ledger) => [
      new Follower(ledger, { onError }),
      new Follower(ledger, { onError, breaksAfter: 37 }),
    ])
    for (const [nth, ledger] of ledgers.entries()) {
      ledger.work({ worker: (work) => this.#work(work) }, { name: `worker-${nth}` })
      for (let caller = 0; caller < CALLERS; caller++)
        this.#callers.push(this.#guard(() => this.#call(ledger)))
      this.#callers.push(this.#guard(() => this.#callInTransactions(ledger)))
    }
  }

  static async open(options: BusyOptions, count: number): Promise<BusyLedger> {
    const problems: unknown[] = []
    const note = ({ error }: { error?: unknown }) => {
      if (error !== undefined && !isExpected(error, EXPECTED_AT_WORK)) problems.push(error)
    }
    const logger = { ...debugLogger, warn: note, error: note }
    const open = () =>
      openLedger(options.url, {
        postgres: { schema: options.schema },
        world: { logger },
        inFlightLimit: 1_000_000,
        protocols: PROTOCOLS,
      })
    const ledgers: Ledger[] = []
    for (let n = 0; n < count; n++) ledgers.push(await open())
    return new BusyLedger(options, ledgers, problems)
  }

  /** What was said that nobody may be told. */
  get problems(): readonly unknown[] {
    return this.#problems
  }

  /** Resolves when so much more has happened. */
  async happens(count: number): Promise<void> {
    const until = this.#happened + count
    while (this.#happened < until && this.#problems.length === 0) {
      await within(LONGEST_CALL_MS, 'getting on', this.#more.promise)
    }
  }

  /** Nothing new is asked for; resolves when everything that was is done. */
  async calm(): Promise<void> {
    this.#isOver = true
    await Promise.all(this.#callers)
  }

  async close(): Promise<void> {
    for (const follower of this.followers) await follower.stop()
    for (const ledger of this.ledgers) await within(LONGEST_CALL_MS, 'closing', ledger.close())
  }

  async #guard(caller: () => Promise<void>): Promise<void> {
    await caller().catch((error) => {
      this.#problems.push(error)
      this.#hear()
    })
  }

  async #work(work: StepWork): Promise<string> {
    const { job_id, step_id, attempt_no } = work.step
    const attempt = `${job_id}/${step_id} ${attempt_no}`
    this.attempts.set(attempt, (this.attempts.get(attempt) ?? 0) + 1)
    if (this.#options.random.next() < LONG_WORK_SHARE) {
      await new Promise<void>((resolve) => void systemTimers.after(LONG_WORK_MS, resolve))
    }
    this.#hear()
    return attempt
  }

  async #call(ledger: Ledger): Promise<void> {
    while (!this.#isOver) await Promise.all(Array.from({ length: AT_ONCE }, () => this.#submit(ledger)))
  }

  async #submit(ledger: Ledger): Promise<void> {
    const request = this.#request()
    const { job_id } = await retried('submit', async () => {
      const job = await ledger.jobs.submit(request)
      const before = this.answered.get(request.idempotency_key)
      if (before !== undefined && before !== job.job_id) throw new Error(`${before} is ${job.job_id} as well`)
      this.answered.set(request.idempotency_key, job.job_id)
      return job
    })
    this.#hear()
    this.results.set(job_id, await retried('wait for a result', () => ledger.jobs.wait(job_id)))
  }

  async #callInTransactions(ledger: Ledger): Promise<void> {
    while (!this.#isOver) {
      const request = this.#request()
      await untilCommitted(this.#options.url, (client) => ledger.jobs.submitIn(client, request))
      this.promised.add(request.idempotency_key)
      this.#hear()
    }
  }

  #request() {
    const nth = this.#keys++
    return {
      tenant_id: 'default',
      request_type: nth % 3 === 0 ? 'THREE' : 'ONE',
      idempotency_key: `request-${nth}`,
      input_ref: 'in',
      output_ref: 'out',
      payload: { nth },
      schema_version: 'v1',
    } as const
  }

  #hear(): void {
    this.#happened++
    this.#more.resolve()
    this.#more = Promise.withResolvers()
  }
}

/** Asks again with the same key for as long as the server is away. */
async function retried<T>(what: string, call: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await within(LONGEST_CALL_MS, what, call())
    } catch (error) {
      mustBeExpected(error, EXPECTED)
      if (tries >= MOST_TRIES) throw error
    }
  }
}

/** A caller's own transaction: when it is not known to be committed, it is made once more. */
async function untilCommitted(url: string, work: (client: pg.Client) => Promise<unknown>): Promise<void> {
  for (let tries = 1; ; tries++) {
    const client = new pg.Client({ connectionString: url, application_name: 'caller' })
    client.on('error', () => {})
    try {
      await within(LONGEST_CALL_MS, 'a transaction', committed(client, work))
      return
    } catch (error) {
      if (tries >= MOST_TRIES) throw error
      // Nothing tells when the server is back: it is asked every now and then.
      await new Promise<void>((resolve) => void systemTimers.after(50 * tries, resolve))
    } finally {
      await client.end().catch(() => {})
    }
  }
}

async function committed(client: pg.Client, work: (client: pg.Client) => Promise<unknown>): Promise<void> {
  await client.connect()
  await client.query('BEGIN')
  await work(client)
  await client.query('COMMIT')
}

function isExpected(error: unknown, expected: ReadonlySet<string>): boolean {
  return error instanceof WaybillError && expected.has(error.code)
}

function mustBeExpected(error: unknown, expected: ReadonlySet<string>): void {
  if (!isExpected(error, expected)) throw error
}
