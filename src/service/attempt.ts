// One attempt at a step, from the directive to the result:
//
//   acknowledging   ACK is sent. Only who is the first to acknowledge goes on: the same directive may have reached
//                   another instance of the service, and the ledger knows which of them has it.
//   waiting         its turn has not come. Heartbeats go out from now on: it is held here, even if nobody works on it.
//   working         the handler runs
//   reporting       RESULT is sent, again and again until it is answered
//
// From waiting and working it can be told to stop, by the ledger (cancelled, or lost to another attempt) or because the
// service ends. What the handler does then is still reported, unless the step is lost: then nobody wants to know.
import { SECOND_MS } from '../core/time.ts'
import type { Turns } from '../wire/turns.ts'
import { WorkAborted } from '../wire/work-aborted.ts'
import { type Logger, withFields } from '../world/logger.ts'
import type { Callbacks, Reply, Saying } from './callbacks.ts'
import type { Directive } from './directive.ts'
import { Heartbeats } from './heartbeats.ts'
import type { ServiceWorld } from './service-world.ts'
import type { StepHandler } from './step-handler.ts'
import { failureOf, type StepReport, successOf } from './step-report.ts'

/** The ledger waits half a minute for an acknowledgement, and then for another attempt's. */
const ACK: Saying = { tries: 5, timeoutMs: 10 * SECOND_MS }
/** Some eight minutes. */
const RESULT: Saying = { tries: 20, timeoutMs: 10 * SECOND_MS }

/** A service has no deadline of its own: the lease is the ledger's. */
type AbortCode = Exclude<WorkAborted['code'], 'TIMEOUT'>

const MEANINGS: { readonly [code in AbortCode]: string } = {
  CANCELLED: 'The job is being cancelled',
  LEASE_LOST: 'The step is no longer held by this attempt',
  STOPPED: 'The service stopped before the step was done',
}

export interface AttemptOptions {
  readonly directive: Directive
  readonly callbacks: Callbacks
  readonly handler: StepHandler
  readonly turns: Turns
  readonly heartbeatMs: number | undefined
  readonly world: ServiceWorld
}

export class Attempt {
  readonly #options: AttemptOptions
  readonly #log: Logger
  readonly #stop = new AbortController()
  readonly #abandoned = Promise.withResolvers<never>()
  readonly #heartbeats: Heartbeats
  #isWorking = false
  #isLost = false

  constructor(options: AttemptOptions) {
    this.#options = options
    this.#log = loggerOf(options)
    // It may well be that nobody looks at it.
    this.#abandoned.promise.catch(() => {})
    this.#heartbeats = new Heartbeats({
      say: (saying) => options.callbacks.say('heartbeat', {}, saying),
      world: options.world,
      everyMs: options.heartbeatMs,
      onCancel: () => this.abort('CANCELLED'),
      onLost: () => this.#lose(),
      onExpired: () => this.abort('LEASE_LOST'),
    })
  }

  /** A handler is at work: it may be given time to finish. */
  get isWorking(): boolean {
    return this.#isWorking
  }

  abort(code: AbortCode): void {
    this.#stop.abort(new WorkAborted(code, MEANINGS[code]))
  }

  /** Does not wait for the handler any longer. */
  abandon(): void {
    this.#abandoned.reject(this.#stop.signal.reason)
  }

  /** False when nothing is known of it anywhere, so that the directive may come once more. */
  async live(): Promise<boolean> {
    const ack = await this.#options.callbacks.say('ack', {}, ACK)
    if (!this.#isOurs(ack)) return ack.kind !== 'unanswered'
    this.#heartbeats.start(ack.leaseMs)
    if (ack.cancel) this.abort('CANCELLED')
    const report = await Promise.race([this.#work(), this.#abandoned.promise]).catch((error: unknown) =>
      failureOf(error, this.#stop.signal),
    )
    this.#heartbeats.stop()
    if (this.#isLost) this.#log.warn({}, 'The step went to another attempt; what was done is not reported')
    else await this.#report(report)
    return true
  }

  /**
   * Known already at the first try: another instance has it. At a later one it was ours, most likely, and only the answer
   * was lost.
   */
  #isOurs(reply: Reply): reply is Extract<Reply, { readonly kind: 'answered' }> {
    if (reply.kind === 'answered') return reply.status === 'accepted' || (reply.tries > 1 && !reply.cancel)
    this.#log.warn({ code: reply.code }, `The step was not begun: ${reply.message}`)
    return false
  }

  async #work(): Promise<StepReport> {
    const { directive, handler, turns } = this.#options
    const { signal } = this.#stop
    try {
      using _turn = await turns.enter(signal)
      this.#isWorking = true
      const heartbeat = async () => {
        await this.#heartbeats.beat()
        return { cancel: signal.aborted }
      }
      return successOf(await handler({ directive, signal, heartbeat, log: this.#log }))
    } catch (error) {
      return failureOf(error, signal)
    } finally {
      this.#isWorking = false
    }
  }

  async #report(report: StepReport): Promise<void> {
    const reply = await this.#options.callbacks.say('result', report, RESULT)
    if (reply.kind === 'answered') return
    this.#log.error({ code: reply.code, status: report.status }, `The result was not taken: ${reply.message}`)
    if (reply.kind !== 'refused' || report.status !== 'SUCCEEDED') return
    // Too large, perhaps. Without a word the ledger would wait until the lease is over, and have it all done again.
    const error = { code: 'RESULT_REFUSED', message: reply.message }
    await this.#report({ status: 'FAILED', failure_class: 'NON_RETRYABLE', error })
  }

  #lose(): void {
    this.#isLost = true
    this.abort('LEASE_LOST')
  }
}

function loggerOf({ directive, world: { logger } }: AttemptOptions): Logger {
  const { tenant_id, jobId, stepId, attempt_no } = directive
  return withFields(logger, { tenant_id, jobId, stepId, attempt_no })
}
