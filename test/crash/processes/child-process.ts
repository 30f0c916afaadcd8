import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../../e2e/scratch.ts'

/** Node keeps here what it made of our sources, so that a child starts in a tenth of a second. */
const CACHE = join(ROOT, '.scratch/compile-cache')

/** A child of this repository's Node, that says things line by line. */
export class Child {
  readonly #process: ChildProcessWithoutNullStreams
  readonly #lines: string[] = []
  #rest = ''
  #errors = ''
  #heard = Promise.withResolvers<void>()
  readonly #ended: Promise<void>

  constructor(script: string, args: readonly string[], env: Readonly<Record<string, string>> = {}) {
    mkdirSync(CACHE, { recursive: true })
    const path = join(ROOT, 'test/crash/processes', script)
    this.#process = spawn(process.execPath, [path, ...args], {
      env: { ...process.env, NODE_COMPILE_CACHE: CACHE, ...env },
    })
    this.#process.stdout.setEncoding('utf8').on('data', (text: string) => this.#hear(text))
    this.#process.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#errors += text
    })
    // It may be gone when it is told something.
    this.#process.stdin.on('error', () => {})
    this.#ended = new Promise((resolve) => {
      this.#process.once('close', () => {
        resolve()
        this.#heard.resolve()
      })
    })
  }

  get pid(): number {
    return this.#process.pid as number
  }

  /** What it has said so far. */
  get lines(): readonly string[] {
    return this.#lines
  }

  /** What it complained of. */
  get errors(): string {
    return this.#errors
  }

  get hasEnded(): boolean {
    return this.#process.exitCode !== null || this.#process.signalCode !== null
  }

  tell(text: string): void {
    this.#process.stdin.write(text)
  }

  /** Resolves when it has said so many lines, or has ended. */
  async said(count: number): Promise<void> {
    while (this.#lines.length < count && !this.hasEnded) await this.#heard.promise
  }

  async saidLine(line: string): Promise<void> {
    while (!this.#lines.includes(line) && !this.hasEnded) await this.#heard.promise
  }

  /** Kills it, and resolves when everything that it said has been heard. */
  async kill(): Promise<void> {
    this.#process.kill('SIGKILL')
    await this.#ended
  }

  async ended(): Promise<{ readonly code: number | null; readonly signal: string | null }> {
    await this.#ended
    return { code: this.#process.exitCode, signal: this.#process.signalCode }
  }

  #hear(text: string): void {
    const lines = `${this.#rest}${text}`.split('\n')
    this.#rest = lines.pop() as string
    this.#lines.push(...lines)
    this.#heard.resolve()
    this.#heard = Promise.withResolvers()
  }
}
