import type { StepError } from '../core/job/commands.ts'
import { errorContextOf } from './error-context.ts'

/** Longest code; the rest of what was thrown is in the message. */
const LONGEST_CODE = 200

/** What was thrown, as the history tells it: its own code if it has one, else what kind of thing it is. */
export function stepErrorOf(thrown: unknown, otherwise: string): StepError {
  // Secrets are taken out when it is written.
  const { error_type, error_message, traceback } = errorContextOf(thrown, (text) => text)
  const { code } = (thrown ?? {}) as { readonly code?: unknown }
  const own = typeof code === 'string' || typeof code === 'number' ? String(code) : ''
  const kind = error_type === 'Error' ? otherwise : error_type
  return {
    code: (own === '' ? kind : own).slice(0, LONGEST_CODE),
    message: error_message,
    ...(traceback === null ? null : { details: { traceback } }),
  }
}
