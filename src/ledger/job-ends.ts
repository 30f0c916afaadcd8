import { type Duration, durationMs } from '../core/duration.ts'
import type { JobRecord, StepRecord } from '../core/job/record.ts'
import type { Json } from '../core/json.ts'
import { isTerminal } from '../core/machine.ts'
import { type JobState, jobMachine } from '../core/machines/job.ts'
import { OutputLost } from '../errors/file-errors.ts'
import { InvalidInput } from '../errors/input-errors.ts'
import { JobFailed, jobNotFound } from '../errors/refusal-errors.ts'
import { WaybillError } from '../errors/waybill-error.ts'
import { START, type Store } from '../store/store.ts'
import type { Timer, Timers } from '../world/timers.ts'
import type { Outputs } from './outputs.ts'

export interface WaitOptions {
  readonly tenant_id?: string | undefined
  readonly signal?: AbortSignal | undefined
  /** Throws when it takes longer: milliseconds, or text such as `30s`. */
  readonly timeout?: Duration | undefined
}

interface JobName {
  readonly tenant_id: string
  readonly job_id: string
}

/** Waits for jobs to end. All who wait share one look at the store after each news, however many they are. */
export class JobEnds {
  readonly #store: Store
  readonly #outputs: Outputs | null
  readonly #timers: Timers
  readonly #waiting = new Set<() => Promise<void>>()
  #stop: (() => void) | null = null
  #isLooking = false
  #hasNews = false

  constructor(store: Store, outputs: Outputs | null, timers: Timers) {
    this.#store = store
    this.#outputs = outputs
    this.#timers = timers
  }

  async result(name: JobName, options: WaitOptions): Promise<Json> {
    const job = await this.#ended(name, options)
    const aggregate = await this.#store.load({ kind: 'job', tenant_id: job.tenant_id, id: job.job_id })
    if (job.state !== 'SUCCEEDED') throw failureOf(job)
    return this.output(aggregate?.steps.at(-1) as StepRecord)
  }

  async output({ output, output_file }: Pick<StepRecord, 'output' | 'output_file'>): Promise<Json> {
    // Records of old files have no such field.
    if (output_file == null) return output
    if (this.#outputs === null)
      throw new OutputLost(output_file.file, 'this ledger has no folder for outputs')
    return this.#outputs.read(output_file)
  }

  async #ended(name: JobName, { signal, timeout }: WaitOptions): Promise<JobRecord> {
    const ms = timeout === undefined ? null : durationMs(timeout)
    if (timeout !== undefined && ms === null) {
      throw new InvalidInput(
        'timeout',
        `${timeout} is not a span of time`,
        'Give milliseconds, or text such as 30s.',
      )
    }
    signal?.throwIfAborted()
    const { promise, resolve, reject } = Promise.withResolvers<JobRecord>()
    const look = async () => {
      const job = await this.#get(name)
      if (isTerminal(jobMachine, job.state)) resolve(job)
    }
    const guarded = () => look().catch(reject)
    const onAbort = () => reject(signal?.reason)
    // It may be over before the first look is, and then nobody listens yet.
    promise.catch(() => {})
    let timer: Timer | null = null
    signal?.addEventListener('abort', onAbort, { once: true })
    this.#add(guarded)
    try {
      await guarded()
      // From now on: a look that takes long is not yet an answer, and one without any time gets what there is.
      if (ms !== null) timer = this.#timers.after(ms, () => reject(waitOver(name, ms)))
      return await promise
    } finally {
      timer?.cancel()
      signal?.removeEventListener('abort', onAbort)
      this.#remove(guarded)
    }
  }

  async #get({ tenant_id, job_id }: JobName): Promise<JobRecord> {
    const job = await this.#store.get({ kind: 'job', tenant_id, id: job_id })
    if (job !== null) return job
    throw jobNotFound({ job_id })
  }

  #add(look: () => Promise<void>): void {
    this.#waiting.add(look)
    this.#stop ??= this.#follow()
  }

  #follow(): () => void {
    const hold = this.#timers.hold()
    const { capabilities } = this.#store
    const stop =
      capabilities.watch === 'poll' ? this.#followLog() : this.#store.subscribe(() => void this.#look())
    return () => {
      stop()
      hold.cancel()
    }
  }

  /** Where every look at a job is a request to somebody, there is one only when some job has ended. */
  #followLog(): () => void {
    const end = new AbortController()
    let stop = () => {}
    const follow = async () => {
      const [last] = (await this.#store.audit({ direction: 'desc', limit: 1 })).items
      const events = this.#store.watch({ after: last?.cursor ?? START, signal: end.signal })
      // Whatever ended before is seen now, and whatever ends from now on is told.
      void this.#look()
      for await (const { kind, event, new_state } of events) {
        if (kind === 'job' && event === 'moved' && isTerminal(jobMachine, new_state as JobState))
          void this.#look()
      }
    }
    const hear = () => {
      if (!end.signal.aborted) stop = this.#store.subscribe(() => void this.#look())
    }
    // Should it fail, whoever waits hears of what happens as everybody does; or, when they look, that the ledger was closed.
    follow()
      .catch(hear)
      .catch(() => this.#look())
    return () => {
      end.abort()
      stop()
    }
  }

  #remove(look: () => Promise<void>): void {
    this.#waiting.delete(look)
    if (this.#waiting.size > 0) return
    this.#stop?.()
    this.#stop = null
  }

  async #look(): Promise<void> {
    this.#hasNews = true
    if (this.#isLooking) return
    this.#isLooking = true
    try {
      while (this.#hasNews) {
        this.#hasNews = false
        for (const look of [...this.#waiting]) await look()
      }
    } finally {
      this.#isLooking = false
    }
  }
}

function failureOf(job: JobRecord): JobFailed {
  const { job_id, tenant_id, state, error_code, error_message } = job
  return new JobFailed({
    code: 'JOB_FAILED',
    message: `Job ${job_id} is ${state}${error_message === null ? '' : `: ${error_message}`}`,
    next: `Look at what happened: waybill jobs show ${job_id}`,
    details: { tenant_id, job_id, state, error_code, error_message },
  })
}

function waitOver({ job_id }: JobName, ms: number): WaybillError {
  return new WaybillError({
    code: 'WAIT_OVER',
    message: `Job ${job_id} has not ended within ${ms} ms`,
    next: `It goes on. Wait longer, or ask what keeps it: waybill why ${job_id}`,
    details: { job_id },
  })
}
