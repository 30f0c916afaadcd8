import type { SubmitAnswer } from '../../src/core/job/commands.ts'
import { LedgerClosed } from '../../src/errors/input-errors.ts'
import { DiskFull, WriterFailed } from '../../src/errors/journal-errors.ts'
import { JobFailed } from '../../src/errors/refusal-errors.ts'
import { WaybillError } from '../../src/errors/waybill-error.ts'
import type { Envelope } from '../../src/ledger/request.ts'
import type { SubmittedJob } from '../../src/ledger/submitted-job.ts'
import type { LiveLedger } from '../../src/runtime/live-ledger.ts'
import { law } from './law-broken.ts'
import { type Life, Unanswered } from './life.ts'
import { hashOf, type Request, Requests } from './requests.ts'
import type { Scene } from './scene.ts'
import { short } from './trace.ts'

export type Told<T> = { readonly answer: T } | { readonly refusal: string } | { readonly silence: string }

/** A request on its way. */
export interface Sending {
  readonly request: Request
  /** The job that there is of it already. */
  readonly before: string | undefined
  /** Everything that it depends on is there. */
  readonly isComplete: boolean
  /** Null when it is on its way more than once. */
  readonly nth: number | null
}

/** Somebody who asks things of the ledger, and holds it to what it said. */
export class Client {
  readonly requests: Requests
  readonly #scene: Scene
  readonly #life: () => Life | null
  /** What was asked, and not answered yet. */
  asked = 0
  /** Who waits for a job to end, and has not been told. */
  readonly waiting = new Set<string>()

  constructor(scene: Scene, life: () => Life | null) {
    this.#scene = scene
    this.#life = life
    this.requests = new Requests(scene)
  }

  /** Asks, and tells apart what was answered, what was refused by the rules, and what nobody knows. */
  async ask<T>(
    name: string,
    what: (ledger: LiveLedger) => Promise<T>,
    mayRefuse: readonly string[] = [],
    life = this.#life(),
  ): Promise<Told<T>> {
    const { trace } = this.#scene
    if (life === null) return { silence: 'down' }
    this.asked++
    try {
      const answer = await life.ask(what)
      trace.add(`${name}: done`)
      return { answer }
    } catch (error) {
      if (error instanceof DiskFull) {
        trace.add(`${name}: full`)
        return { refusal: error.code }
      }
      const isFailed = (error as NodeJS.ErrnoException).code === 'EIO' && this.#scene.troubles.hasFailed
      if (isFailed || [Unanswered, WriterFailed, LedgerClosed].some((kind) => error instanceof kind)) {
        trace.add(`${name}: ?`)
        return { silence: (error as Error).name }
      }
      if (!(error instanceof WaybillError) || !mayRefuse.includes(error.code)) throw error
      trace.add(`${name}: ${error.code}`)
      return { refusal: error.code }
    } finally {
      this.asked--
    }
  }

  async submit(request: Request, waits = false): Promise<void> {
    const { envelope } = request
    const sending = this.send(request)
    const name = `submit ${envelope.input_ref} ${envelope.request_type}`
    const life = this.#life()
    const told = await this.ask(name, ({ jobs }) => jobs.submit(envelope), MAY_REFUSE, life)
    this.heard(sending, told)
    if ('answer' in told && waits) this.#wait(told.answer, life as Life)
  }

  /** What is known when a request is sent; to be compared with what is heard of it. */
  send(request: Request): Sending {
    const { tenant_id, depends_on } = request.envelope
    const isKnown = (id: string) => this.#scene.laws.shadow.job(tenant_id, id) !== undefined
    request.sent++
    return {
      request,
      before: this.#made(request),
      isComplete: (depends_on ?? []).every(isKnown),
      // Nobody else has it on the way, as far as one can tell now.
      nth: request.underWay++ === 0 ? request.sent : null,
    }
  }

  heard(sending: Sending, told: Told<SubmitAnswer>): void {
    sending.request.underWay--
    if ('answer' in told) this.#mustBe(sending, told.answer)
    if ('refusal' in told) this.#mustNotBe(sending, told.refusal)
  }

  /** The same key with another request: the answer is the job there is, and in what they differ. */
  async submitOther(request: Request & { job_id: string }): Promise<void> {
    const { envelope } = request
    const other: Envelope = { ...envelope, output_ref: 'elsewhere' }
    const told = await this.ask('submit with a known key', ({ jobs }) => jobs.submit(other))
    if (!('answer' in told)) return
    const { job_id, duplicate, differing } = told.answer
    law(duplicate && job_id === request.job_id, () => `a known key was answered with ${job_id}`)
    law(differing.join() === 'output_ref', () => `they differ in output_ref, and not in ${differing}`)
  }

  /** What was accepted is there when its sender is told, and stays the same however often it is sent. */
  #mustBe({ request, before }: Sending, { job_id, duplicate }: SubmitAnswer): void {
    const { tenant_id, input_ref } = request.envelope
    const known = this.#scene.laws.shadow.job(tenant_id, job_id)
    const made = this.#made(request)
    law(known !== undefined, () => `job ${job_id} was accepted, and is not there`)
    const isSame = before === undefined || (duplicate && before === job_id)
    law(isSame, () => `${input_ref} made job ${before}, and ${job_id} when sent again`)
    law(made === job_id, () => `${input_ref} made job ${made}, and was told ${job_id}`)
    request.job_id = job_id
  }

  /** What was refused is not there; what was accepted before is not refused, whatever the limits. */
  #mustNotBe({ request, before, isComplete, nth }: Sending, refusal: string): void {
    const { input_ref, depends_on } = request.envelope
    const isWrong = refusal === 'DEPENDENCY_UNKNOWN' && isComplete
    law(!isWrong, () => `${input_ref} depends on ${depends_on}, which were known`)
    const isWritten = before !== undefined && refusal !== 'DISK_FULL'
    law(!isWritten, () => `${input_ref} made job ${before}, and was refused by ${refusal} when sent again`)
    const made = this.#made(request)
    const isAlone = nth !== null && nth === request.sent
    const isNew = before === undefined && made !== undefined && isAlone
    law(!isNew, () => `${input_ref} was refused by ${refusal}, and made job ${made}`)
  }

  #made({ envelope }: Request): string | undefined {
    const { tenant_id, idempotency_key = null } = envelope
    return this.#scene.laws.once.jobOf(tenant_id, idempotency_key, hashOf(envelope))
  }

  #wait(job: SubmittedJob, life: Life): void {
    const { trace } = this.#scene
    this.waiting.add(job.job_id)
    this.#scene.do(async () => {
      const state = await life
        .ask(() => job.result())
        .then(
          () => 'SUCCEEDED',
          (error: unknown) => {
            if (error instanceof JobFailed) return error.state
            if (error instanceof Unanswered || error instanceof LedgerClosed) return null
            throw error
          },
        )
      this.waiting.delete(job.job_id)
      trace.add(`waited for ${short(job.job_id)}: ${state}`)
      const known = this.#scene.laws.shadow.job(job.tenant_id, job.job_id)?.job
      law(
        state === null || known?.state === state,
        () => `job ${job.job_id} is ${known?.state}, not ${state}`,
      )
    })
  }
}

/** A chain whose first part was refused leaves a second part that nobody can accept. */
const MAY_REFUSE = ['IN_FLIGHT_LIMIT', 'DEPENDENCY_UNKNOWN', 'RUN_CLOSED']
