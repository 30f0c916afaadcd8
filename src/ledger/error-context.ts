import type { ErrorContext } from '../core/document/decide.ts'
import { InvalidInput } from '../errors/input-errors.ts'
import type { Redact } from './redact.ts'

/** Longest message and longest traceback that are kept. */
const LONGEST = 8192

/** Longest name of a type of error. */
const LONGEST_TYPE = 200

/** How many errors that caused each other are told. */
const MOST_CAUSES = 5

/** Cut before it is searched: a message may quote a whole file. A secret that the cut halves is still found. */
const LONGEST_SEARCHED = 4 * LONGEST

/**
 * What the history keeps of a thrown error: its type, its message, and its stack with those of its causes; all
 * without secrets. Anything can be thrown: what is no error is told as text. An error that was taken apart elsewhere,
 * in another process or language, is given by its fields.
 */
export function errorContextOf(error: unknown, redact: Redact): ErrorContext {
  const kept = (text: string) => redact(text.slice(0, LONGEST_SEARCHED)).slice(0, LONGEST)
  if (isContext(error)) {
    const { error_type, error_message, traceback } = error
    return {
      error_type: redact(textIn('error.error_type', error_type ?? 'Error')).slice(0, LONGEST_TYPE),
      error_message: kept(textIn('error.error_message', error_message)),
      traceback: traceback == null ? null : kept(textIn('error.traceback', traceback)),
    }
  }
  if (!isError(error)) return { error_type: 'Error', error_message: kept(textOf(error)), traceback: null }
  const traceback = stackOf(error)
  return {
    error_type: redact(typeOf(error)).slice(0, LONGEST_TYPE),
    error_message: kept(textOf(error.message)),
    traceback: traceback === '' ? null : kept(traceback),
  }
}

function isError(value: unknown): value is Error {
  // From another realm, such as a test runner's or a vm's, it is no instance of ours.
  return value instanceof Error || Object.prototype.toString.call(value) === '[object Error]'
}

function isContext(value: unknown): value is Partial<ErrorContext> & { readonly error_message: unknown } {
  return typeof value === 'object' && value !== null && !isError(value) && 'error_message' in value
}

function textIn(field: string, value: unknown): string {
  if (typeof value === 'string') return value
  throw new InvalidInput(
    field,
    `${field} must be text`,
    'Give an Error, or error_type and error_message as text.',
  )
}

/** A class that extends Error without naming itself is still known by its constructor. */
function typeOf(error: Error): string {
  const name = textOf(error.name)
  if (name !== 'Error') return name
  const own = error.constructor?.name
  return typeof own === 'string' && own !== '' ? own : name
}

function stackOf(error: Error): string {
  const told: string[] = []
  let cause: unknown = error
  for (let depth = 0; depth < MOST_CAUSES && cause != null; depth++) {
    const stack = isError(cause) ? (cause.stack ?? `${cause.name}: ${cause.message}`) : textOf(cause)
    told.push(depth === 0 ? stack : `Caused by: ${stack}`)
    cause = isError(cause) ? cause.cause : null
  }
  return told.join('\n')
}

/** Whatever was thrown may not even want to be text. */
function textOf(value: unknown): string {
  try {
    return typeof value === 'object' && value !== null
      ? (JSON.stringify(value) ?? String(value))
      : String(value)
  } catch {
    return 'something that cannot be shown'
  }
}
