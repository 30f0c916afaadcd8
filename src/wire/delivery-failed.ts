/**
 * A message did not arrive, or nobody knows whether it did. Its code says why, in the words of whoever said so:
 * `HTTP_503`, `ECONNREFUSED`, `TIMEOUT`, `ABORTED`, `NATS_NO_STREAM`. It is not from the table of errors, but becomes
 * the error of the outbox row.
 */
export class DeliveryFailed extends Error {
  readonly code: string
  /** What the reader can do about it. */
  readonly next: string

  constructor(code: string, message: string, next: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.name = 'DeliveryFailed'
    this.code = code
    this.next = next
  }
}

/** How deep a cause is looked for: errors may go round in circles. */
const DEEPEST_CAUSE = 5

/** The first code in an error or in what caused it: `fetch` says no more than that it failed. */
export function codeOf(error: unknown, depth = 0): string | undefined {
  if (typeof error !== 'object' || error === null || depth > DEEPEST_CAUSE) return undefined
  const { code, cause, errors } = error as { code?: unknown; cause?: unknown; errors?: readonly unknown[] }
  if (typeof code === 'string' && code !== '') return code
  return codeOf(cause, depth + 1) ?? codeOf(errors?.[0], depth + 1)
}

/** Whoever asked for it did not want to wait any longer, for a reason that may have a code of its own. */
export function givenUp(what: string, reason: unknown): DeliveryFailed {
  const next = 'See why it took so long; nobody knows whether it arrived.'
  const why = reason instanceof Error && codeOf(reason) !== undefined ? `: ${reason.message}` : ''
  return new DeliveryFailed(codeOf(reason) ?? 'ABORTED', `${what} was given up${why}`, next, reason)
}
