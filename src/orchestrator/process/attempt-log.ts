// The log of one attempt, appended to the job's log file. A program may print more than anybody wants to keep: the first
// part is written as it comes, so that it can be watched; of the rest the last part is kept in memory and written at the
// end, after a line that says how much is missing in between. So neither the file nor the memory grows, and the end, where
// the reason of a failure usually stands, is always there. Writing never holds up the program: what waits to be written
// is of the first part and so bounded too.
import type { AppendedFile } from '../../world/file-system.ts'
import { GuardedLines } from './guarded-lines.ts'
import { LastBytes } from './last-bytes.ts'
import { LOG_MARK } from './log-mark.ts'

/** Of an attempt, by default. */
export const MOST_LOG_BYTES = 10 * 1024 * 1024

/** One part in so many is for the end. */
const TAIL_SHARE = 5

const NEWLINE = 0x0a

export interface LogFacts {
  /** What was printed and is in the log. */
  readonly logBytes: number
  /** What was printed and is not. */
  readonly droppedBytes: number
  /** Why the log could not be written to its end. */
  readonly logError: string | null
}

export class AttemptLog {
  readonly #file: AppendedFile
  readonly #tail: LastBytes
  readonly #guard = new GuardedLines()
  /** What is left of the first part. */
  #room: number
  #printed = 0
  #kept = 0
  #waiting: Uint8Array[] = []
  /** Of what waits, what the program has printed. */
  #waitingPrinted = 0
  #writing: Promise<void> | null = null
  #error: Error | null = null
  #lastByte = NEWLINE

  constructor(file: AppendedFile, mostBytes: number) {
    this.#file = file
    const tailBytes = Math.max(1, Math.floor(mostBytes / TAIL_SHARE))
    this.#tail = new LastBytes(tailBytes)
    this.#room = Math.max(0, mostBytes - tailBytes)
  }

  /** Says whose attempt it is. What was in the file before may have been cut off in the middle of a line. */
  begin(mark: string): void {
    this.#append(Buffer.from(`${this.#file.size === 0 ? '' : '\n'}${LOG_MARK}${mark}\n`))
  }

  /** A line of our own. */
  line(text: string): void {
    this.#append(this.#guard.flush())
    const before = this.#lastByte === NEWLINE ? '' : '\n'
    this.#append(Buffer.from(`${before}--- ${text}\n`))
  }

  /** What the program prints. */
  add(bytes: Buffer): void {
    this.#printed += bytes.length
    const head = bytes.subarray(0, this.#room)
    this.#room -= head.length
    this.#appendPrinted(head)
    if (head.length < bytes.length) this.#tail.add(bytes.subarray(head.length))
  }

  async finish(lastLine: string): Promise<LogFacts> {
    const { dropped } = this.#tail
    if (dropped > 0) this.line(`${dropped} bytes left out`)
    this.#appendPrinted(this.#tail.bytes())
    this.line(lastLine)
    while (this.#writing !== null) await this.#writing
    await this.#file.close().catch((error: Error) => this.#failed(error))
    return {
      logBytes: this.#kept,
      droppedBytes: this.#printed - this.#kept,
      logError: this.#error?.message ?? null,
    }
  }

  #appendPrinted(bytes: Uint8Array): void {
    if (bytes.length === 0) return
    this.#waitingPrinted += bytes.length
    this.#append(this.#guard.pass(bytes))
  }

  #append(bytes: Uint8Array): void {
    if (bytes.length === 0) return
    this.#lastByte = bytes.at(-1) ?? this.#lastByte
    if (this.#error !== null) return
    this.#waiting.push(bytes)
    this.#writing ??= this.#write()
  }

  async #write(): Promise<void> {
    while (this.#waiting.length > 0) {
      const [bytes, printed] = [Buffer.concat(this.#waiting), this.#waitingPrinted]
      this.#waiting = []
      this.#waitingPrinted = 0
      try {
        await this.#file.append(bytes)
        this.#kept += printed
      } catch (error) {
        // The program is not to blame for a full disk: it goes on, and its log ends here.
        this.#failed(error as Error)
        this.#waiting = []
      }
    }
    this.#writing = null
  }

  #failed(error: Error): void {
    this.#error ??= error
  }
}
