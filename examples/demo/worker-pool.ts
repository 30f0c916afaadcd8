import type { StepError, Work } from 'waybill'
import { entering, fail, succeeded } from './document-moves.ts'
import { durationOf, fateOf, type Pdf } from './library.ts'
import { expectRefusal, type Scene } from './scene.ts'

/** Longer than a lease and the wait after it: by then the step has a new attempt. */
const SILENCE_MS = 4 * 60_000

/** Work that takes longer is reported on half-way; the answer may be to stop. */
const QUIET_MS = 2000

const STOPPED: StepError = { code: 'STOPPED', message: 'The worker was told to stop' }

/** Workers that claim one step after the other from the queue of a service. */
export class WorkerPool {
  readonly #scene: Scene
  readonly #queue: string
  #idle: string[]
  readonly #pdfs: ReadonlyMap<string, Pdf>
  /** Attempts of each tenant that are running here: whoever has fewest is served first. */
  readonly #running = new Map<string, number>()

  constructor(scene: Scene, queue: string, size: number, pdfs: ReadonlyMap<string, Pdf>) {
    this.#scene = scene
    this.#queue = queue
    this.#idle = Array.from({ length: size }, (_, i) => `${queue}-${i + 1}`)
    this.#pdfs = pdfs
  }

  /** Every idle worker takes a step, as long as there is one. */
  async claim(): Promise<void> {
    const asking = this.#idle
    this.#idle = []
    await Promise.all(asking.map((worker) => this.#ask(worker)))
  }

  async #ask(worker: string): Promise<void> {
    const claimed = { queues: [this.#queue], worker, running: this.#running }
    const [work] = await this.#scene.ledger.jobs.claim(claimed)
    if (work === undefined) this.#idle.push(worker)
    else await this.#begin(worker, work)
  }

  async #begin(worker: string, work: Work): Promise<void> {
    const { job, step } = work
    const pdf = this.#pdfs.get(job.job_id)
    const number = pdf?.number ?? job.job_id.length
    const silent = fateOf(number, step.step_id, step.attempt_no).kind === 'falls silent'
    this.#count(job.tenant_id, 1)
    const { agenda, ledger, underWay } = this.#scene
    if (pdf !== undefined) underWay.push(ledger.batch(await entering(this.#scene, pdf, step.step_id)))
    const ms = silent ? SILENCE_MS : durationOf(number, step.step_id)
    let cancel = false
    if (!silent && ms > QUIET_MS) {
      agenda.in(ms / 2, async () => {
        cancel = (await ledger.jobs.heartbeat(step, { actor: worker })).cancel
      })
    }
    agenda.in(ms, async () => {
      await this.#finish(work, number, worker, pdf, cancel)
      this.#count(job.tenant_id, -1)
      this.#idle.push(worker)
    })
  }

  async #finish(
    { step }: Work,
    number: number,
    actor: string,
    pdf: Pdf | undefined,
    cancel: boolean,
  ): Promise<void> {
    const { ledger } = this.#scene
    const call = { actor }
    const fate = fateOf(number, step.step_id, step.attempt_no)
    if (fate.kind === 'falls silent') {
      // It comes back with its result long after the step was given to somebody else.
      await expectRefusal(this.#scene, () => ledger.jobs.result(step, { status: 'SUCCEEDED' }, call))
      return
    }
    const error = cancel ? STOPPED : fate.kind === 'fails' ? fate : undefined
    if (error === undefined) {
      // The job and its document move on together, or neither does.
      await ledger.batch((make) => [
        make.result(step, { status: 'SUCCEEDED', output: { done_by: actor } }, call),
        ...(pdf === undefined ? [] : succeeded(make, pdf, step.step_id)),
      ])
      return
    }
    const { code, message } = error
    const failure_class = fate.kind === 'fails' && fate.retryable ? 'RETRYABLE' : 'NON_RETRYABLE'
    const failed = { status: 'FAILED', failure_class, error: { code, message } } as const
    const { retry_at } = await ledger.jobs.result(step, failed, call)
    if (pdf !== undefined) await fail(this.#scene, pdf, step.step_id, error, retry_at)
  }

  #count(tenant_id: string, change: number): void {
    this.#running.set(tenant_id, (this.#running.get(tenant_id) ?? 0) + change)
  }
}
