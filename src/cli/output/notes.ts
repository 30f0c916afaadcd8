import type { JsonObject } from '../../core/json.ts'
import { problemLines } from './problem-lines.ts'
import { safeJson, safeText } from './safe-text.ts'
import type { Style, TextStream } from './text-stream.ts'

/**
 * What is said beside the output, on the error stream: hints, warnings and errors. With `--json` each is one line of
 * JSON, so that whoever parses the output can parse these as well.
 */
export class Notes {
  readonly stream: TextStream
  readonly #json: boolean
  readonly #quiet: boolean

  constructor(stream: TextStream, options: { readonly json: boolean; readonly quiet: boolean }) {
    this.stream = stream
    this.#json = options.json
    this.#quiet = options.quiet
  }

  /** Something good to know; `--quiet` leaves it out. */
  async hint(message: string, details: object = {}): Promise<void> {
    if (!this.#quiet) await this.#say('note', undefined, { message, ...details })
  }

  /** Something to look after. */
  async warn(message: string, details: object = {}): Promise<void> {
    await this.#say('warning', 'yellow', { message, ...details })
  }

  /** What went wrong, and the next step. */
  async error(error: {
    readonly message: string
    readonly next: string | null
    readonly details?: JsonObject
  }): Promise<void> {
    if (this.#json) return this.#say('error', 'red', error)
    const [message = '', ...problems] = problemLines(error)
    await this.#say('error', 'red', { message })
    for (const problem of problems) await this.stream.line(safeText(problem))
    if (error.next === null) return
    await this.stream.line(`${this.stream.paint('cyan', 'next:')} ${safeText(error.next)}`)
  }

  async #say(kind: string, style: Style | undefined, told: { readonly message: string }): Promise<void> {
    if (this.#json) return this.stream.line(safeJson({ [kind]: told }))
    const text = safeText(told.message)
    if (style === undefined) return this.stream.line(this.stream.paint('dim', text))
    await this.stream.line(`${this.stream.paint(style, `${kind}:`)} ${text}`)
  }
}
