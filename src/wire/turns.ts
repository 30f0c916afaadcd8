/** At most so many at once; the others wait in the order they came. */
export class Turns {
  #free: number
  readonly #line: (() => void)[] = []

  constructor(most: number) {
    this.#free = most
  }

  /** Resolves when it is this one's turn, with what ends the turn; rejects with the signal's reason if that comes first. */
  async enter(signal: AbortSignal): Promise<Disposable> {
    signal.throwIfAborted()
    if (this.#free > 0) this.#free--
    else await this.#wait(signal)
    return { [Symbol.dispose]: () => this.#leave() }
  }

  #wait(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const go = () => {
        signal.removeEventListener('abort', giveUp)
        resolve()
      }
      const giveUp = () => {
        this.#line.splice(this.#line.indexOf(go), 1)
        reject(signal.reason)
      }
      this.#line.push(go)
      signal.addEventListener('abort', giveUp, { once: true })
    })
  }

  #leave(): void {
    const next = this.#line.shift()
    if (next === undefined) this.#free++
    else next()
  }
}
