import { once } from 'node:events'
import { styleText } from 'node:util'

export type Style = Parameters<typeof styleText>[0]

/** Whoever read the output went away, as `head` does: no reason to go on, and no reason to complain. */
export class OutputClosed extends Error {}

/** Where text goes: a terminal, a file or a pipe. */
export class TextStream {
  readonly #stream: NodeJS.WriteStream
  readonly #isColoured: boolean
  #failure: Error | null = null

  constructor(stream: NodeJS.WriteStream, { color }: { readonly color: boolean }) {
    this.#stream = stream
    this.#isColoured = color
    stream.on('error', (error: NodeJS.ErrnoException) => {
      this.#failure = error.code === 'EPIPE' ? new OutputClosed() : error
    })
  }

  get isTerminal(): boolean {
    return this.#stream.isTTY === true
  }

  /** Columns of the terminal; as many as it takes anywhere else. */
  get columns(): number {
    return this.isTerminal ? this.#stream.columns || 80 : Number.POSITIVE_INFINITY
  }

  /** Colours are for terminals, unless somebody asks for none (NO_COLOR) or insists (FORCE_COLOR). */
  paint(style: Style | undefined, text: string): string {
    if (style === undefined || !this.#isColoured) return text
    return styleText(style, text, { stream: this.#stream, validateStream: true })
  }

  /** Resolves when there is room for more, so that a slow reader does not fill the memory. */
  async write(text: string): Promise<void> {
    this.#mustWork()
    if (this.#stream.write(text)) return
    const over = new AbortController()
    const comes = (event: string) => once(this.#stream, event, { signal: over.signal })
    // Whatever ends the stream ends the waiting, too; and of what did not come nobody is to hear later.
    await Promise.race([comes('drain'), comes('close')]).catch(() => {})
    over.abort()
    this.#mustWork()
  }

  /** Resolves when everything is written; only then it is known whether it could be. */
  async finish(): Promise<void> {
    await new Promise<void>((resolve) => this.#stream.write('', () => resolve()))
    this.#mustWork()
  }

  #mustWork(): void {
    if (this.#failure !== null) throw this.#failure
  }

  line(text = ''): Promise<void> {
    return this.write(`${text}\n`)
  }
}
