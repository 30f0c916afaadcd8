// How a handler's end becomes the RESULT that the ledger is told.
import type { FailureClass, StepError } from '../core/job/commands.ts'
import type { Ref } from '../core/job/record.ts'
import { isJsonObject, type Json, type JsonObject } from '../core/json.ts'
import { Output } from '../wire/output.ts'
import { WorkAborted } from '../wire/work-aborted.ts'

export type StepReport =
  | {
      readonly status: 'SUCCEEDED'
      readonly output: Json
      readonly output_ref?: Ref | undefined
      readonly output_count?: number | undefined
      readonly metadata?: JsonObject | undefined
    }
  | { readonly status: 'FAILED'; readonly failure_class: FailureClass; readonly error: StepError }
  | { readonly status: 'RELEASED'; readonly reason: string }

const LONGEST_CODE = 200
const LONGEST_TEXT = 10_000

export function successOf(returned: unknown): StepReport {
  const { value, ref, count, metadata } = returned instanceof Output ? returned : new Output(returned)
  try {
    // What JSON cannot hold is found here, and not where the report is sent again and again.
    const text = JSON.stringify(value) as string | undefined
    const output = text === undefined ? null : (JSON.parse(text) as Json)
    return {
      status: 'SUCCEEDED',
      output,
      ...(ref === undefined ? null : { output_ref: ref }),
      ...(count === undefined ? null : { output_count: count }),
      ...(metadata === undefined ? null : { metadata }),
    }
  } catch (error) {
    const message = `What the handler returned is not JSON: ${(error as Error).message}`
    return { status: 'FAILED', failure_class: 'NON_RETRYABLE', error: { code: 'INVALID_OUTPUT', message } }
  }
}

/** Another try may help, unless the error says that it will not. */
export function failureOf(thrown: unknown, signal: AbortSignal): StepReport {
  // Who stops because of the signal says so in many ways; the reason is the same.
  const isStop = signal.aborted && (thrown === signal.reason || (thrown as Error)?.name === 'AbortError')
  const cause = isStop && signal.reason instanceof WorkAborted ? signal.reason : thrown
  // Whoever stops because the service does has not failed: somebody else is to do it, and the attempt does not count.
  if (signal.reason instanceof WorkAborted && signal.reason.code === 'STOPPED') {
    return { status: 'RELEASED', reason: signal.reason.message }
  }
  const said = (typeof cause === 'object' && cause !== null ? cause : {}) as Partial<Failure>
  const isFinal = said.failure_class === 'NON_RETRYABLE'
  return {
    status: 'FAILED',
    failure_class: isFinal ? 'NON_RETRYABLE' : 'RETRYABLE',
    error: errorOf(cause, said, isFinal ? 'NON_RETRYABLE' : 'HANDLER_FAILED'),
  }
}

interface Failure {
  readonly code: unknown
  readonly name: unknown
  readonly message: unknown
  readonly stack: unknown
  readonly details: Json
  readonly failure_class: unknown
}

/** Its own code if it has one, else what kind of error it is, else what happened. */
function errorOf(thrown: unknown, said: Partial<Failure>, otherwise: string): StepError {
  const { code, name, message } = said
  const kind = name === 'Error' || name === 'NonRetryable' ? undefined : name
  const text = [code, kind].find((value) => typeof value === 'string' && value !== '') as string | undefined
  const error = {
    code: (text ?? otherwise).slice(0, LONGEST_CODE),
    message: (typeof message === 'string' ? message : String(thrown)).slice(0, LONGEST_TEXT),
  }
  const details = detailsOf(said)
  return details === null ? error : { ...error, details }
}

function detailsOf({ details, stack }: Partial<Failure>): JsonObject | null {
  if (isJsonObject(details) && isPlain(details)) return details
  return typeof stack === 'string' ? { traceback: stack.slice(0, LONGEST_TEXT) } : null
}

function isPlain(details: JsonObject): boolean {
  try {
    return JSON.stringify(details) !== undefined
  } catch {
    return false
  }
}
