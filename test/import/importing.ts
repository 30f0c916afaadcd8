// What the tests of all importers do: run the command, look at the report, do what was taken over, and cut it off.
import { readdirSync, readFileSync, statSync, watch, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { ImportReport } from '../../src/ledger/import/import-report.ts'
import { openLedger } from '../../src/open-ledger.ts'
import { runHere } from '../e2e/cli-here.ts'
import type { Shell, Told } from '../e2e/cli-run.ts'

export interface ReportedRecord {
  readonly kind: string
  readonly id: string
  readonly queue: string
  readonly name: string
  readonly state: string
  readonly fate: string
  readonly became: string | null
  readonly request_type: string | null
  readonly reason: string | null
  readonly differences: readonly string[]
}

/** A few of the first jobs. */
const KILLED_AT_BYTES = 100_000

export class Importing {
  readonly shell: Shell
  readonly #args: readonly string[]

  constructor(shell: Shell, args: readonly string[]) {
    this.shell = shell
    this.#args = args
  }

  get ledger(): string {
    return this.shell.path('ledger')
  }

  run(...more: readonly string[]): Promise<Told> {
    return runHere(['import', ...this.#args, '--ledger', this.ledger, ...more])
  }

  async report(...more: readonly string[]): Promise<ImportReport> {
    const { status, stdout, stderr } = await this.run('--json', ...more)
    expect(stderr).not.toContain('"error"')
    expect(status).toBe(stdout.includes('"refused":0,"queues"') ? 0 : 1)
    return JSON.parse(stdout)
  }

  async failure(
    ...more: readonly string[]
  ): Promise<{ readonly status: number | null; readonly code: string }> {
    const { status, stdout, stderr } = await this.run('--json', ...more)
    expect(stdout).toBe('')
    const { code, next } = JSON.parse(stderr).error
    expect(next).toEqual(expect.any(String))
    return { status, code }
  }

  records(name: string): readonly ReportedRecord[] {
    return JSON.parse(readFileSync(this.shell.path(name), 'utf8')).records
  }

  /** Runs a worker on these queues until there is nothing to do; answers what each handler was given, in no order. */
  async work(
    queues: readonly string[],
  ): Promise<readonly { queue: string; step_type: string; input: unknown }[]> {
    const done = this.shell.path('done.jsonl')
    writeFileSync(done, '')
    const handler = `async ({ input, step }) => {
      appendFileSync(${JSON.stringify(done)}, JSON.stringify({ queue: step.queue, step_type: step.step_type, input }) + '\\n')
      return 'done'
    }`
    const handlers = queues.map((queue) => `${JSON.stringify(queue)}: ${handler}`).join(',\n')
    const module = this.shell.path('worker.mjs')
    writeFileSync(
      module,
      `import { appendFileSync } from 'node:fs'\nexport const handlers = {\n${handlers}\n}\n`,
    )
    const { status, stderr } = await runHere(['worker', module, '--until-idle', '--ledger', this.ledger])
    expect({ status, stderr }).toMatchObject({ status: 0 })
    return readFileSync(done, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line))
  }

  /** So many jobs, of which some are there when the process is ended. */
  async goesOnWhenKilled(count: number): Promise<void> {
    await this.killedAt(KILLED_AT_BYTES)
    const report = await this.report()
    expect(report).toMatchObject({ found: count, left: 0, refused: 0 })
    expect(report.known).toBeGreaterThan(0)
    expect(report.taken).toBeGreaterThan(0)
    expect(report.known + report.taken).toBe(count)
    await using ledger = await openLedger(this.ledger)
    expect(await ledger.jobs.count()).toMatchObject({ count })
  }

  /** Ends the process without a word when so many bytes are in the ledger. */
  async killedAt(bytes: number): Promise<void> {
    const child = this.shell.start(['import', ...this.#args, '--ledger', this.ledger])
    const ended = new Promise<NodeJS.Signals | null>((resolve) =>
      child.on('close', (_, signal) => resolve(signal)),
    )
    const watching = watch(this.shell.folder, { recursive: true }, () => {
      if (sizeOf(this.ledger) >= bytes) child.kill('SIGKILL')
    })
    const signal = await ended
    watching.close()
    expect(signal).toBe('SIGKILL')
  }
}

export const byText = (a: object, b: object) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)

function sizeOf(folder: string): number {
  try {
    const names = readdirSync(folder, { recursive: true }) as string[]
    return names.reduce((sum, name) => sum + statSync(join(folder, name)).size, 0)
  } catch {
    // Files come and go.
    return 0
  }
}
