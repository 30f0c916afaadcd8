// How a handler's end becomes the RESULT that the ledger is told.
import type { FailureClass, StepError } from '../core/job/commands.ts'
import type { Ref } from '../core/job/record.ts'
import { isJsonObject, type Json, type JsonObject } from '../core/json.ts'
import { Output } from '../wire/output.ts'
import { AttemptAborted } from './attempt-aborted.ts'

export type StepReport =
  | { readonly status: 'SUCCEEDED'; readonly output: Json; readonly output_ref?: Ref | undefined }
  | { readonly status: 'FAILED'; readonly failure_class: FailureClass; readonly error: StepError }

const LONGEST_CODE = 200
const LONGEST_MESSAGE = 10_000

export function successOf(returned: unknown): StepReport {
  const output = returned instanceof Output ? returned.value : returned
  const output_ref = returned instanceof Output ? returned.ref : undefined
  try {
    // What JSON cannot hold is found here, and not where the report is sent again and again.
    const text = JSON.stringify(output) as string | undefined
    return { status: 'SUCCEEDED', output: text === undefined ? null : (JSON.parse(text) as Json), output_ref }
  } catch (error) {
    const message = `What the handler returned is not JSON: ${(error as Error).message}`
    return { status: 'FAILED', failure_class: 'NON_RETRYABLE', error: { code: 'BAD_OUTPUT', message } }
  }
}

/** Another try may help, unless the error says that it will not. */
export function failureOf(thrown: unknown, signal: AbortSignal): StepReport {
  // Who stops because of the signal says so in many ways; the reason is the same.
  const isStop = signal.aborted && (thrown === signal.reason || (thrown as Error)?.name === 'AbortError')
  const cause = isStop && signal.reason instanceof AttemptAborted ? signal.reason : thrown
  const said = (typeof cause === 'object' && cause !== null ? cause : {}) as Partial<Failure>
  const failure_class = said.failure_class === 'NON_RETRYABLE' ? 'NON_RETRYABLE' : 'RETRYABLE'
  return { status: 'FAILED', failure_class, error: errorOf(cause, said) }
}

interface Failure {
  readonly code: unknown
  readonly name: unknown
  readonly message: unknown
  readonly details: Json
  readonly failure_class: unknown
}

function errorOf(thrown: unknown, { code, name, message, details }: Partial<Failure>): StepError {
  const text = [code, name].find((value) => typeof value === 'string' && value !== '') as string | undefined
  const error = {
    code: (text ?? 'ERROR').slice(0, LONGEST_CODE),
    message: (typeof message === 'string' ? message : String(thrown)).slice(0, LONGEST_MESSAGE),
  }
  return isJsonObject(details) && isPlain(details) ? { ...error, details } : error
}

function isPlain(details: JsonObject): boolean {
  try {
    return JSON.stringify(details) !== undefined
  } catch {
    return false
  }
}
