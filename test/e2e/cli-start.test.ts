// Nobody waits for help. How long is that? It depends on the machine, and on what else it does: so the command line is compared
// with a Node that does nothing, each time one after the other, by the work they take and not by the clock.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { environment } from './environment.ts'
import { ROOT } from './scratch.ts'

const MAIN = join(ROOT, 'dist/cli/main.js')
const RUNS = 5
/** Where Node alone takes 35 ms that is 140 ms; it takes three times as long. */
const MOST_TIMES = 4

/** Prints in the end what the process has taken, on the error stream. */
const TELL = `data:text/javascript,${encodeURIComponent(`import { writeSync } from 'node:fs'
process.on('exit', () => {
  const { user, system } = process.cpuUsage()
  writeSync(2, String(user + system))
})`)}`

function microseconds(...args: readonly string[]): number {
  const { stderr, status } = spawnSync(process.execPath, ['--import', TELL, ...args], {
    encoding: 'utf8',
    env: environment(),
    timeout: 30_000,
  })
  expect(status).toBe(0)
  return Number(stderr)
}

it.each(['--help', '--version', 'docs list --help', 'serve --help'])('waybill %s answers at once', (line) => {
  const command = [MAIN, ...line.split(' ')]
  // The first time Node compiles it, and remembers that.
  microseconds(...command)
  const runs = Array.from({ length: RUNS }, () => ({
    alone: microseconds('--eval', '0'),
    told: microseconds(...command),
  }))
  const best = (name: 'alone' | 'told') => Math.min(...runs.map((run) => run[name]))
  expect(best('told') / best('alone')).toBeLessThan(MOST_TIMES)
})
