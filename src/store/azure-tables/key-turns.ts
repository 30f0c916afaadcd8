/** Whoever wants to write the same thing waits for whoever wants to already: they would only find out that it has changed. */
export class KeyTurns {
  readonly #last = new Map<string, Promise<void>>()

  /** In the order in which they come; the names of one are taken together. */
  async during<T>(names: readonly string[], work: () => Promise<T>): Promise<T> {
    const before = Promise.all(names.map((name) => this.#last.get(name)))
    const { promise, resolve } = Promise.withResolvers<void>()
    for (const name of names) this.#last.set(name, promise)
    try {
      await before
      return await work()
    } finally {
      resolve()
      for (const name of names) if (this.#last.get(name) === promise) this.#last.delete(name)
    }
  }
}
