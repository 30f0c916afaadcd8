/**
 * Something that runs until it is stopped. Starting twice and stopping twice is harmless; what was stopped stays so.
 * Stopping resolves when nothing of it is under way any more.
 */
export interface Service extends AsyncDisposable {
  readonly name: string
  start(): void
  stop(): Promise<void>
  /**
   * When it next has something to do, in epoch milliseconds, unless there is news; null when it does not know of any. What
   * is under way has to be done at once.
   */
  readonly restsUntil: number | null
  /** Calls back whenever it has nothing to do for the time being. Answers how to stop it. */
  onAsleep(listener: () => void): () => void
}

/** While something is under way. */
export const BUSY = Number.NEGATIVE_INFINITY
