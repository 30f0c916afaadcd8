import type { LiveLedger } from '../../../runtime/live-ledger.ts'
import { systemTimers, type Timer } from '../../../world/timers.ts'
import type { Session } from '../../session.ts'
import type { ToolOutput } from './tool-output.ts'

/** Nobody has begun with it for so long: time to say why. */
const STILL_MS = 1000

type Payload = { readonly [name: string]: unknown }

/** Says, while a job runs, which attempt begins, how each ended and who takes over; and what keeps it when nothing runs. */
export class RunNotes {
  readonly #session: Session
  readonly #ledger: LiveLedger
  readonly #output: ToolOutput
  readonly #ended = new AbortController()
  readonly #said = new Set<string>()
  /** The job and those that took over from it. */
  readonly #jobs: Set<string>
  #watching: Promise<void> = Promise.resolve()
  #timer: Timer | null = null
  #current: string

  constructor(session: Session, ledger: LiveLedger, output: ToolOutput, job_id: string) {
    this.#session = session
    this.#ledger = ledger
    this.#output = output
    this.#jobs = new Set([job_id])
    this.#current = job_id
  }

  async start(): Promise<void> {
    const { JobStateStore } = await import('../../../orchestrator/job-state-store.ts')
    const store = new JobStateStore(this.#ledger)
    this.#watching = (async () => {
      for await (const { event_type, payload } of store.subscribe({ signal: this.#ended.signal })) {
        await this.#take(event_type, payload)
      }
    })()
    // Whoever stops it hears of it.
    this.#watching.catch(() => {})
    this.#sayLater()
  }

  async stop(): Promise<void> {
    this.#timer?.cancel()
    this.#ended.abort()
    await this.#watching
    this.#timer?.cancel()
  }

  async #take(event_type: string, payload: Payload): Promise<void> {
    const job_id = String(payload.job_id)
    if (event_type === 'job.queued' && !this.#jobs.has(job_id)) await this.#follow(job_id)
    if (!this.#jobs.has(job_id)) return
    this.#timer?.cancel()
    this.#current = job_id
    const { message } = (payload.error ?? {}) as { readonly message?: string }
    const why = message === undefined ? '' : `: ${message}`
    switch (event_type) {
      case 'job.started':
        return this.#output.say(`${payload.tool} begins, attempt ${payload.attempt_no} at ${job_id}.`)
      case 'job.retrying':
        this.#output.say(`Attempt ${payload.attempt_no} failed${why}. It is tried again.`)
        break
      default:
    }
    this.#sayLater()
  }

  /** It may have taken over from one of ours. */
  async #follow(job_id: string): Promise<void> {
    const { escalation } = (await this.#ledger.jobs.get(job_id)) ?? { escalation: null }
    if (escalation?.escalated_from == null || !this.#jobs.has(escalation.escalated_from)) return
    this.#jobs.add(job_id)
    this.#output.say(
      `${escalation.escalated_from} failed (${escalation.escalation_reason}). ${job_id} takes over.`,
    )
  }

  #sayLater(): void {
    if (this.#ended.signal.aborted) return
    this.#timer = systemTimers.after(STILL_MS, () => void this.#sayWhy().catch(() => {}))
  }

  async #sayWhy(): Promise<void> {
    const why = await this.#ledger.why(this.#current)
    const [cause] = why?.causes ?? []
    if (cause === undefined || cause.cause === 'ended' || cause.cause === 'worker') return
    if (this.#said.has(cause.message)) return
    this.#said.add(cause.message)
    const command = cause.unblock?.command.replace(/^waybill /, '')
    const how = command === undefined ? '' : ` What would help: ${this.#session.hintOf(command)}`
    this.#output.say(`${cause.message}.${how}`, { cause: cause.cause })
  }
}
