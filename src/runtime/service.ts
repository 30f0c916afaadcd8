/**
 * Something that runs until it is stopped. Starting twice and stopping twice is harmless; what was stopped stays so.
 * Stopping resolves when nothing of it is under way any more.
 */
export interface Service extends AsyncDisposable {
  readonly name: string
  start(): void
  stop(): Promise<void>
}
