import type { Decision, Given } from '../core/decision.ts'
import type { SubmitJob } from '../core/job/commands.ts'
import { decideJob } from '../core/job/decide.ts'
import type { JsonObject } from '../core/json.ts'
import { Unsupported } from '../errors/input-errors.ts'
import type { CallersTransaction, Inbox } from '../store/inbox.ts'
import type { Store } from '../store/store.ts'
import type { Logger } from '../world/logger.ts'

/** Requests that are admitted in one write. */
const PAGE = 100

/** A bound on one call, whatever is there: the caller can call again. */
const MOST_PAGES = 1000

/** A job that is going to be, once the transaction that asked for it is committed. */
export interface PromisedJob {
  readonly tenant_id: string
  readonly job_id: string
}

/** A request from a transaction that did not become a job of its own. */
export interface TurnedDown extends PromisedJob {
  readonly request_type: string
  /** The same request was accepted before, as this job; null when it was refused. */
  readonly duplicate_of: string | null
  /** Why it was refused; null when it was not. */
  readonly refusal: JsonObject | null
  readonly created_at: string
}

/**
 * Takes in requests that callers made part of transactions of their own. Whoever made one takes it in as soon as that is
 * committed; if they are gone by then, whoever keeps the time does.
 */
export class Admission {
  readonly #store: Store
  readonly #logger: Logger
  #admitting: Promise<number> | null = null
  #hasNews = false
  #isListening = false

  constructor(store: Store, logger: Logger) {
    this.#store = store
    this.#logger = logger
  }

  async put(transaction: CallersTransaction, command: SubmitJob): Promise<PromisedJob> {
    const { tenant_id, job_id } = command
    const request: Partial<SubmitJob> = { ...command, payloadText: undefined }
    await this.#inbox.put(transaction, request as unknown as JsonObject)
    this.#listen()
    return { tenant_id, job_id }
  }

  /** Admits what there is; answers how much that was. */
  async admit(): Promise<number> {
    const { inbox } = this.#store
    if (inbox === undefined) return 0
    let admitted = 0
    for (let page = 0; page < MOST_PAGES; page++) {
      const some = await inbox.admit(PAGE, (request, given) => this.#decide(request, given))
      admitted += some
      if (some < PAGE) break
    }
    return admitted
  }

  async turnedDown(limit: number): Promise<readonly TurnedDown[]> {
    return (await this.#inbox.answered(limit)).map(({ request, answer, created_at }) => ({
      tenant_id: String(request.tenant_id),
      job_id: String(request.job_id),
      request_type: String(request.request_type),
      duplicate_of: (answer.duplicate_of as string | undefined) ?? null,
      refusal: (answer.refusal as JsonObject | undefined) ?? errorIn(answer),
      created_at,
    }))
  }

  get #inbox(): Inbox {
    const { inbox } = this.#store
    if (inbox !== undefined) return inbox
    throw new Unsupported(
      'requests in a transaction of yours',
      'Use PostgreSQL, or submit after your own transaction with an idempotency_key.',
    )
  }

  #decide(request: JsonObject, given: Given): Decision<JsonObject | null> {
    const command = request as unknown as SubmitJob
    const decision = decideJob(command, given)
    if (decision.kind === 'change') {
      const { duplicate, job_id } = decision.answer
      return { ...decision, answer: duplicate ? { duplicate_of: job_id } : null }
    }
    if (decision.kind === 'refusal') {
      const { code, message } = decision.refusal
      this.#logger.warn(
        { code, job_id: command.job_id },
        `A request from a transaction is refused: ${message}`,
      )
    }
    return decision
  }

  #listen(): void {
    if (this.#isListening) return
    this.#isListening = true
    this.#store.subscribe(() => {
      this.#hasNews = true
      this.#admitting ??= this.#admitSoon().finally(() => {
        this.#admitting = null
      })
    })
  }

  async #admitSoon(): Promise<number> {
    let admitted = 0
    while (this.#hasNews) {
      this.#hasNews = false
      try {
        admitted += await this.admit()
      } catch (error) {
        this.#logger.warn({ error }, 'Requests from transactions wait: they could not be admitted just now')
      }
    }
    return admitted
  }
}

function errorIn(answer: JsonObject): JsonObject | null {
  return typeof answer.error === 'string' ? { message: answer.error } : null
}
