import type { ErrorContext } from '../core/document/decide.ts'

/** Longest traceback that is kept. */
const LONGEST_TRACEBACK = 8192

/** What the history keeps of a thrown error. */
export function errorContextOf(error: unknown): ErrorContext {
  if (!(error instanceof Error)) {
    return { error_type: 'Error', error_message: String(error), traceback: null }
  }
  return {
    error_type: error.name,
    error_message: error.message,
    traceback: error.stack?.slice(0, LONGEST_TRACEBACK) ?? null,
  }
}
