import { fork } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../../scripts/command.ts'
import type { Row } from '../harness.ts'
import type { BenchMessage } from './bench.ts'

export interface Result {
  readonly name: string
  readonly rows: readonly Row[]
  readonly seconds: number
  /** Why there are no rows. */
  readonly error: string | null
}

const TEMPORARY = join(ROOT, '.reports', 'bench-tmp')
const CHILD = join(import.meta.dirname, 'run-benchmark.ts')

/** How much of what a benchmark says on its way down is kept. */
const MOST_ERROR_CHARACTERS = 4000
const INTERRUPTED = 130

/** Longer than a whole run. */
const LEFT_BEHIND_MS = 3_600_000

/** Removes what runs left behind that were killed before they could. */
export function removeLeftovers(): void {
  if (!existsSync(TEMPORARY)) return
  for (const name of readdirSync(TEMPORARY)) {
    const folder = join(TEMPORARY, name)
    if (statSync(folder).mtimeMs < Date.now() - LEFT_BEHIND_MS)
      rmSync(folder, { recursive: true, force: true })
  }
}

/** Runs a benchmark in a process of its own, and removes what it leaves behind. */
export async function runBenchmark(
  name: string,
  isQuick: boolean,
  onProgress: (doing: string, part: number | null) => void,
): Promise<Result> {
  mkdirSync(TEMPORARY, { recursive: true })
  const folder = mkdtempSync(join(TEMPORARY, `${name}-`))
  const start = performance.now()
  const child = fork(CHILD, [name, folder, isQuick ? 'quick' : 'full'], {
    execArgv: ['--conditions=waybill-source', '--expose-gc'],
    stdio: ['ignore', 'inherit', 'pipe', 'ipc'],
  })
  const interrupted = () => {
    child.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
    process.exit(INTERRUPTED)
  }
  process.once('SIGINT', interrupted)
  process.once('SIGTERM', interrupted)
  let rows: readonly Row[] = []
  let said = ''
  child.on('message', (message: BenchMessage) => {
    if ('rows' in message) rows = message.rows
    else onProgress(message.doing, message.part)
  })
  child.stderr?.on('data', (chunk: Buffer) => {
    said = (said + chunk.toString()).slice(-MOST_ERROR_CHARACTERS)
  })
  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once('error', reject)
      child.once('close', resolve)
    })
    const seconds = (performance.now() - start) / 1000
    return { name, rows, seconds, error: code === 0 ? null : `it ended with ${code}\n${said}` }
  } finally {
    process.off('SIGINT', interrupted)
    process.off('SIGTERM', interrupted)
    rmSync(folder, { recursive: true, force: true })
  }
}
