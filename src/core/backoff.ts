/**
 * How long to wait before the next try. Pure: jitter takes its dice as an argument, so that the same history
 * always gives the same times.
 */
export type Backoff =
  /** Waits in order; the last one repeats. */
  | { readonly kind: 'list'; readonly delaysMs: readonly number[] }
  | {
      readonly kind: 'none' | 'linear' | 'exponential' | 'fibonacci'
      readonly baseMs: number
      readonly capMs: number
      /** 0 to 1: the part of the wait that is left to chance. */
      readonly jitter?: number
    }

const NO_WAIT_MS = 0

/** The wait after the nth failed try (n from 1). `chance` is in [0, 1). */
export function backoffMs(backoff: Backoff, failedTries: number, chance = 0): number {
  if (backoff.kind === 'list') {
    return backoff.delaysMs[Math.min(failedTries, backoff.delaysMs.length) - 1] ?? NO_WAIT_MS
  }
  const full = Math.min(backoff.baseMs * growth(backoff.kind, failedTries), backoff.capMs)
  return Math.round(full * (1 - (backoff.jitter ?? 0) * chance))
}

function growth(kind: 'none' | 'linear' | 'exponential' | 'fibonacci', n: number): number {
  switch (kind) {
    case 'none':
      return 0
    case 'linear':
      return n
    case 'exponential':
      return 2 ** (n - 1)
    case 'fibonacci': {
      let [a, b] = [1, 1]
      for (let i = 1; i < n; i++) [a, b] = [b, a + b]
      return a
    }
  }
}
