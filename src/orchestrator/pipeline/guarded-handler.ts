import { Breaker, type BreakerOptions } from '../../core/pipeline/breaker.ts'
import type { Handler } from '../../runtime/handler.ts'
import { CircuitOpen } from '../../wire/circuit-open.ts'
import { NonRetryable } from '../../wire/non-retryable.ts'
import { StepFailure } from '../../wire/step-failure.ts'
import { WorkAborted } from '../../wire/work-aborted.ts'
import type { Clock } from '../../world/clock.ts'

type Report = 'succeeded' | 'failed' | 'abandoned'

/**
 * The handler behind a circuit breaker, one for all attempts of this process: after so many failures in a row it is not
 * called for a while. An attempt that was called off, or that says that trying again would not help, says nothing
 * of the thing that the handler calls.
 */
export function guarded(handler: Handler, options: BreakerOptions, clock: Clock): Handler {
  const breaker = new Breaker(options)
  return async (work) => {
    const admission = breaker.admit(clock.now())
    if (!admission.ok) throw new CircuitOpen(`Stage ${work.step.step_id}`, admission.until)
    const { ticket } = admission
    let isTold = false
    const tell = (report: Report) => {
      if (isTold) return
      isTold = true
      if (report === 'failed') breaker.failed(ticket, clock.now())
      else breaker[report](ticket)
    }
    const { signal } = work
    // At once: a handler that does not listen may go on for ever, and a trial must not.
    const onAbort = () => tell(isTimeout(signal.reason) ? 'failed' : 'abandoned')
    if (signal.aborted) onAbort()
    signal.addEventListener('abort', onAbort, { once: true })
    try {
      const output = await handler(work)
      tell('succeeded')
      return output
    } catch (error) {
      tell(isFinal(error) ? 'abandoned' : 'failed')
      throw error
    } finally {
      signal.removeEventListener('abort', onAbort)
    }
  }
}

/** Trying again would not help: that says nothing of the thing that was called. */
function isFinal(error: unknown): boolean {
  return (
    (error instanceof NonRetryable || error instanceof StepFailure) && error.failure_class === 'NON_RETRYABLE'
  )
}

function isTimeout(reason: unknown): boolean {
  return reason instanceof WorkAborted && reason.code === 'TIMEOUT'
}
