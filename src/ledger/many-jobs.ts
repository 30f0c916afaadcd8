// Many jobs at once, by a filter. Whoever asks is told first how many match, and says then how many it may be: if more have
// come since, nothing is done. Each job is a change of its own.
import { hash } from 'node:crypto'
import { OPEN_JOB } from '../core/group/member-jobs.ts'
import type { JobRecord } from '../core/job/record.ts'
import { statesOf } from '../core/machine.ts'
import { type JobState, jobMachine } from '../core/machines/job.ts'
import { InvalidInput } from '../errors/input-errors.ts'
import { CountChanged, isRefusal } from '../errors/refusal-errors.ts'
import { findPages } from '../store/find-all.ts'
import type { OnProgress } from '../store/progress.ts'
import type { FindQuery, PageOptions } from '../store/query.ts'
import type { Store } from '../store/store.ts'
import { checkCount, checkId } from './check-input.ts'
import type { CallOptions } from './settings.ts'

/** Which jobs; what is absent matches everything, but for the tenant, which is then the ledger's own. */
export interface JobFilter extends Pick<PageOptions, 'changedFrom' | 'changedBefore'> {
  readonly tenant_id?: string | undefined
  readonly state?: JobState | readonly JobState[] | undefined
  readonly request_type?: string | undefined
  readonly protocol_id?: string | undefined
  readonly run_id?: string | undefined
  readonly workstream_id?: string | undefined
  readonly doc_id?: string | undefined
}

/** How many match. From 10,000 on they are not counted. */
export interface MatchCount {
  readonly count: number
  readonly is_more: boolean
}

export interface ManyOptions extends Pick<CallOptions, 'actor' | 'reason'> {
  /** How many it may be, at most 10,000. Nothing is done without it. */
  readonly expect?: number | undefined
  /** Ends it before the next job. What was done stays so; to ask for the same again does the rest. */
  readonly signal?: AbortSignal | undefined
  readonly onProgress?: OnProgress | undefined
}

export interface AgainManyOptions extends ManyOptions {
  /** The step to begin with; from the beginning unless given. */
  readonly from_step?: string | undefined
  /**
   * However often it is asked for, each job is run again once; with another key once more. So it may be repeated after
   * a crash, and jobs that have been run again already are left alone.
   */
  readonly request_key?: string | undefined
}

/** What came of it. */
export interface ManyReport {
  readonly done: number
  /** Those that had ended, or had been run again, before. */
  readonly unchanged: number
  readonly failed_count: number
  /** The first hundred. */
  readonly failed: readonly FailedOne[]
}

export interface FailedOne {
  readonly job_id: string
  readonly code: string
  readonly message: string
}

/** Most that are counted, and most that are done in one go. */
const MOST = 10_000
const FAILURES_TOLD = 100

/** Under way at once: they share their writes. */
const CONCURRENCY = 50

/** What is asked of each job: true when something came of it, false when there was nothing to do. */
export type DoToJob = (job: Found) => Promise<boolean>

/** What is kept of a job that matches. */
type Found = Pick<JobRecord, 'job_id' | 'etag'>

export function jobQuery(tenant_id: string, filter: JobFilter): FindQuery<'job'> {
  const { state, request_type, protocol_id, run_id, workstream_id, doc_id } = filter
  const { changedFrom, changedBefore } = filter
  const where = { state, request_type, protocol_id, run_id, workstream_id, doc_id }
  return { kind: 'job', tenant_id, where, changedFrom, changedBefore }
}

/** Only these can be cancelled, or run again: a filter that names others is a mistake. */
export function withStates(
  filter: JobFilter,
  able: readonly JobState[],
  usual: readonly JobState[],
): JobFilter {
  const named = filter.state === undefined ? usual : [filter.state].flat()
  const wrong = named.find((state) => !able.includes(state))
  if (wrong === undefined) return { ...filter, state: named }
  throw new InvalidInput(
    'state',
    `Nothing can be done to jobs that are ${wrong}`,
    `Use some of: ${able.join(', ')}.`,
  )
}

export const TO_CANCEL = OPEN_JOB
export const TO_RUN_AGAIN: readonly JobState[] = statesOf(jobMachine).filter(
  (state) => !OPEN_JOB.includes(state),
)

export async function countJobs(store: Store, query: FindQuery<'job'>): Promise<MatchCount> {
  const found = await firstJobs(store, query, MOST + 1)
  return { count: Math.min(found.length, MOST), is_more: found.length > MOST }
}

export async function doToJobs(
  store: Store,
  query: FindQuery<'job'>,
  options: ManyOptions & { readonly expect: number },
  doToOne: DoToJob,
): Promise<ManyReport> {
  const expect = checkExpected(options.expect)
  const { signal, onProgress } = options
  signal?.throwIfAborted()
  const found = await firstJobs(store, query, expect + 1)
  if (found.length > expect) throw new CountChanged(expect, await countJobs(store, query))
  const tally = new Tally(found.length, onProgress)
  const jobs = found.values()
  const failures: unknown[] = []
  const lane = async () => {
    for (const job of jobs) {
      if (signal?.aborted === true || failures.length > 0) return
      try {
        tally.add(await doToOne(job))
      } catch (error) {
        if (isRefusal(error)) tally.fail({ job_id: job.job_id, code: error.code, message: error.message })
        else failures.push(error)
      }
    }
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, lane))
  // Such as a full disk: it would befall all that come after it, too.
  if (failures.length > 0) throw failures[0]
  if (tally.isPartial) signal?.throwIfAborted()
  return tally.report()
}

/** The key under which a job is run again by a filter. */
export function againKey(request_key: string | undefined, job_id: string): string {
  const key = request_key === undefined ? '' : checkId('request_key', request_key)
  return `again:${hash('sha256', `${key}\n${job_id}`, 'hex')}`
}

async function firstJobs(store: Store, query: FindQuery<'job'>, most: number): Promise<readonly Found[]> {
  const found: Found[] = []
  for await (const page of findPages<'job'>(store, query)) {
    for (const { job_id, etag } of page) {
      if (found.length === most) return found
      found.push({ job_id, etag })
    }
  }
  return found
}

function checkExpected(expect: number): number {
  if (checkCount('expect', expect) <= MOST) return expect
  const next = 'Narrow the filter, by times or states, and do it in several goes.'
  throw new InvalidInput('expect', `expect is ${expect}, and ${MOST} is the most`, next)
}

/** What came of it so far. */
class Tally {
  readonly #total: number
  readonly #onProgress: OnProgress | undefined
  readonly #failed: FailedOne[] = []
  #done = 0
  #unchanged = 0
  #failures = 0

  constructor(total: number, onProgress: OnProgress | undefined) {
    this.#total = total
    this.#onProgress = onProgress
  }

  add(isDone: boolean): void {
    if (isDone) this.#done++
    else this.#unchanged++
    this.#tell()
  }

  fail(one: FailedOne): void {
    if (this.#failures++ < FAILURES_TOLD) this.#failed.push(one)
    this.#tell()
  }

  get isPartial(): boolean {
    return this.#seen < this.#total
  }

  report(): ManyReport {
    return {
      done: this.#done,
      unchanged: this.#unchanged,
      failed_count: this.#failures,
      failed: this.#failed,
    }
  }

  get #seen(): number {
    return this.#done + this.#unchanged + this.#failures
  }

  #tell(): void {
    this.#onProgress?.({ what: 'jobs', done: this.#seen, total: this.#total })
  }
}
