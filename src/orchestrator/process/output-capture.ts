import type { Logger } from '../../world/logger.ts'
import type { StartedProcess } from '../../world/processes.ts'
import type { AttemptLog } from './attempt-log.ts'
import { OutputEnds } from './output-ends.ts'

/** A piece of what a program prints, as it comes. What is not UTF-8 shows as U+FFFD. */
export interface OutputChunk {
  readonly stream: 'stdout' | 'stderr'
  readonly text: string
}

type OnOutput = (chunk: OutputChunk) => void

/** Takes what a program prints for as long as it does, so that it never has to wait, and hands it on. */
export class OutputCapture {
  /** Resolves when nobody holds either of its streams any more. */
  readonly ended: Promise<void>
  readonly #child: StartedProcess
  readonly #log: AttemptLog
  readonly #logger: Logger
  readonly #ends = new OutputEnds()
  #onOutput: OnOutput | undefined

  constructor(child: StartedProcess, log: AttemptLog, onOutput: OnOutput | undefined, logger: Logger) {
    this.#child = child
    this.#log = log
    this.#logger = logger
    this.#onOutput = onOutput
    this.ended = Promise.all([this.#take('stdout'), this.#take('stderr')]).then(() => {})
  }

  get head(): string {
    return this.#ends.head
  }

  get tail(): string {
    return this.#ends.tail
  }

  /** Nothing more is read. */
  close(): void {
    this.#child.stdout.destroy()
    this.#child.stderr.destroy()
  }

  #take(stream: OutputChunk['stream']): Promise<void> {
    const decoder = new TextDecoder()
    return new Promise((resolve) => {
      this.#child[stream]
        .on('data', (bytes: Buffer) => {
          this.#log.add(bytes)
          this.#ends.add(bytes)
          if (this.#onOutput !== undefined) this.#tell(stream, decoder.decode(bytes, { stream: true }))
        })
        .on('error', () => resolve())
        .once('end', () => {
          // The beginning of a character that never came.
          if (this.#onOutput !== undefined) this.#tell(stream, decoder.decode())
        })
        .once('close', () => resolve())
    })
  }

  #tell(stream: OutputChunk['stream'], text: string): void {
    if (text === '') return
    try {
      this.#onOutput?.({ stream, text })
    } catch (error) {
      // Whoever listens must not bring down what runs.
      this.#onOutput = undefined
      this.#logger.error({ error }, 'A listener to the output of a tool failed and hears no more')
    }
  }
}
