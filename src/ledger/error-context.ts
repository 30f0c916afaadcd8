import type { ErrorContext } from '../core/document/decide.ts'

/** Longest message and longest traceback that are kept. */
const LONGEST = 8192

/** What the history keeps of a thrown error. */
export function errorContextOf(error: unknown): ErrorContext {
  if (!(error instanceof Error)) {
    return { error_type: 'Error', error_message: String(error).slice(0, LONGEST), traceback: null }
  }
  return {
    error_type: error.name,
    error_message: error.message.slice(0, LONGEST),
    traceback: error.stack?.slice(0, LONGEST) ?? null,
  }
}
