const CLEAR = '\r\x1b[K'

/** Shows on a terminal what is going on, in one line that is written over; says nothing anywhere else. */
export class StatusLine {
  readonly #total: number
  readonly #isShown = process.stderr.isTTY
  readonly #began = performance.now()
  #name = ''
  #nth = 0

  constructor(total: number) {
    this.#total = total
  }

  start(name: string): void {
    this.#name = name
    this.#nth++
    this.show('starting', null)
  }

  show(doing: string, part: number | null): void {
    const seconds = Math.round((performance.now() - this.#began) / 1000)
    const percent = part === null ? '' : ` ${Math.floor(100 * part)} %`
    this.#write(`${CLEAR}[${this.#nth}/${this.#total}] ${this.#name}: ${doing}${percent} (${seconds} s)`)
  }

  end(): void {
    this.#write(CLEAR)
  }

  #write(text: string): void {
    if (this.#isShown) process.stderr.write(text)
  }
}
