import type { OutputChunk } from '../../../orchestrator/process/output-capture.ts'
import { safeJson, safeText } from '../../output/safe-text.ts'
import { countOf } from '../../output/words.ts'
import type { Session } from '../../session.ts'

/** A terminal that is slower than the tool: of what would have to wait beyond this only the log has it all. */
const MOST_WAITING = 1024 * 1024

/** Colours and the like, which a log has no use for. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what it is about
const SEQUENCE = /\u001b\[[0-9;?]*[ -/]*[@-~]/g

type Chunk = OutputChunk & { readonly job_id: string }

/** Shows what a tool prints as it does, beside our own output, and never holds the tool up for it. */
export class ToolOutput {
  readonly #session: Session
  #waiting = 0
  #leftOut = 0
  #isLineOver = true
  #writing: Promise<void> = Promise.resolve()

  constructor(session: Session) {
    this.#session = session
  }

  readonly take = (chunk: Chunk): void => {
    if (this.#session.options.quiet === true) return
    if (this.#waiting > MOST_WAITING) {
      this.#leftOut += chunk.text.length
      return
    }
    this.#waiting += chunk.text.length
    this.#then(async () => {
      await this.#write(chunk)
      this.#waiting -= chunk.text.length
    })
  }

  /** Something of our own, on a line of its own. */
  say(message: string, details: object = {}): void {
    this.#then(async () => {
      await this.#endLine()
      await this.#session.notes.hint(message, details)
    })
  }

  /** Resolves when everything was shown. */
  async finish(): Promise<void> {
    if (this.#leftOut > 0) {
      this.say(`${countOf(this.#leftOut, 'character')} of what it printed are only in its log.`)
    }
    await this.#writing
    await this.#endLine()
  }

  #then(write: () => Promise<void>): void {
    this.#writing = this.#writing.then(write)
    // Whoever waits for the end hears of it.
    this.#writing.catch(() => {})
  }

  async #write(chunk: Chunk): Promise<void> {
    const { notes, isJson } = this.#session
    if (isJson) return notes.stream.line(safeJson({ output: chunk }))
    const text = shownText(chunk.text)
    if (text === '') return
    await notes.stream.write(text)
    this.#isLineOver = text.endsWith('\n')
  }

  async #endLine(): Promise<void> {
    if (!this.#isLineOver) await this.#session.notes.stream.write('\n')
    this.#isLineOver = true
  }
}

/** Lines and tabs stay; what could do something to a terminal is shown, and not done. */
export function shownText(text: string): string {
  const plain = text.replace(SEQUENCE, '').replaceAll(/\r+\n/g, '\n').replaceAll('\r', '\n')
  return plain
    .split('\n')
    .map((line) => line.split('\t').map(safeText).join('\t'))
    .join('\n')
}
