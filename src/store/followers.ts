/** Who wants to be called when a log has grown, and who sleeps until then. */
export class Followers {
  readonly #sleeping = new Set<() => void>()
  readonly #listeners = new Set<() => void>()
  #isClosed = false

  get hasListeners(): boolean {
    return this.#listeners.size > 0
  }

  wake(): void {
    for (const listener of this.#listeners) listener()
    for (const resume of [...this.#sleeping]) resume()
  }

  close(): void {
    this.#isClosed = true
    this.#listeners.clear()
    this.wake()
  }

  /** Answers how to stop it. */
  add(listener: () => void): () => void {
    // In a function of its own, so that one who subscribes twice is called twice.
    const own = () => listener()
    this.#listeners.add(own)
    return () => {
      this.#listeners.delete(own)
    }
  }

  /** Nobody is to go on. */
  isOver(signal: AbortSignal | undefined): boolean {
    return this.#isClosed || signal?.aborted === true
  }

  /** Until the log grows, or it is over. */
  sleep(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve) => {
      const resume = () => {
        signal?.removeEventListener('abort', resume)
        this.#sleeping.delete(resume)
        resolve()
      }
      signal?.addEventListener('abort', resume)
      if (this.isOver(signal)) resume()
      else this.#sleeping.add(resume)
    })
  }
}
