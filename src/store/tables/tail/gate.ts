/**
 * Lets in any number of those who come for a moment, or one who wants to be alone. Whoever wants to be alone waits for those within,
 * and those who come later wait for them.
 */
export class Gate {
  #within = 0
  #isAlone = false
  readonly #waiting: { readonly alone: boolean; readonly enter: () => void }[] = []

  async beside<T>(run: () => Promise<T>): Promise<T> {
    if (this.#isFree) this.#within++
    else await this.#turn(false)
    try {
      return await run()
    } finally {
      this.#leave()
    }
  }

  async alone<T>(run: () => Promise<T>): Promise<T> {
    const leave = await this.enterAlone()
    try {
      return await run()
    } finally {
      leave()
    }
  }

  /** Answers how to leave. */
  async enterBeside(): Promise<() => void> {
    if (this.#isFree) this.#within++
    else await this.#turn(false)
    return () => this.#leave()
  }

  async enterAlone(): Promise<() => void> {
    if (this.#isAlone || this.#within > 0 || this.#waiting.length > 0) await this.#turn(true)
    else this.#isAlone = true
    return () => {
      this.#isAlone = false
      this.#next()
    }
  }

  /** For those who come for a moment. */
  get #isFree(): boolean {
    return !this.#isAlone && this.#waiting.length === 0
  }

  #leave(): void {
    this.#within--
    this.#next()
  }

  #turn(alone: boolean): Promise<void> {
    return new Promise((enter) => this.#waiting.push({ alone, enter }))
  }

  #next(): void {
    for (;;) {
      const [first] = this.#waiting
      if (first === undefined || this.#isAlone || (first.alone && this.#within > 0)) return
      this.#waiting.shift()
      if (first.alone) this.#isAlone = true
      else this.#within++
      first.enter()
    }
  }
}
