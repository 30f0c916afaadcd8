// `npm start` as people meet it: in a process of its own, on a terminal and off.
import { spawnSync } from 'node:child_process'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { beforeAll, describe, expect, it } from 'vitest'
import { environment, hasScript } from './environment.ts'
import { page } from './pages.ts'
import { fences } from './runnable-blocks.ts'
import { ROOT } from './scratch.ts'

const WIDTH = 80
const STAMP = join(ROOT, 'node_modules/.waybill-installed')

// biome-ignore lint/suspicious/noControlCharactersInRegex: escape codes are what it is about
const ESCAPE = /\u001b/

function start() {
  return spawnSync('npm', ['start'], { cwd: ROOT, encoding: 'utf8', env: environment(), timeout: 60_000 })
}

/** The same on a pseudo terminal: what is printed there, as it was printed. */
function startOnTerminal(env: NodeJS.ProcessEnv = {}) {
  const command = `stty cols ${WIDTH} rows 40 && npm start`
  return spawnSync('script', ['--quiet', '--return', '--command', command, '/dev/null'], {
    cwd: ROOT,
    encoding: 'utf8',
    env: environment(env),
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 60_000,
  })
}

/** Timings differ from run to run, and with them what is written together; nothing else does. */
function withoutTimings(text: string): string {
  return text
    .replace(/which took .*$/m, '')
    .replace(/: [\d,]+ a second/, '')
    .replace(/OPENED AGAIN IN \d+ ms/, '')
    .replace(/ +\d+ kB$/gm, '')
}

/** npm's own lines: its warnings, and which script it runs. */
function withoutNpm(text: string): string {
  return text
    .split('\n')
    .filter((line) => !/^(?:npm (?:warn|notice)|> )/i.test(line))
    .join('\n')
    .trim()
}

describe('npm start, its output sent to a file', () => {
  let first: ReturnType<typeof start>
  let second: ReturnType<typeof start>
  let installedAt: number
  let files: readonly string[]

  beforeAll(() => {
    files = readdirSync(ROOT)
    first = start()
    installedAt = statSync(STAMP).mtimeMs
    second = start()
  })

  it('ends well, and says nothing on the error stream but what npm says', () => {
    expect(
      withoutNpm(first.stderr)
        .replace(/^waybill: (?:installing|dependencies) .*$/gm, '')
        .trim(),
    ).toBe('')
    expect(first.status).toBe(0)
  })

  it('ends with a summary', () => {
    for (const part of [
      'DOCUMENTS',
      'JOBS',
      'SLOWEST STEPS',
      'FAILED ATTEMPTS',
      'THE HISTORY OF',
      'TRY NEXT',
    ]) {
      expect(first.stdout).toContain(`\n  ${part}`)
    }
    expect(first.stdout).toContain('records and history agree')
    expect(first.stdout).toContain('Document aurora:0007 cannot go from fetching to ir_ready')
    expect(first.stdout).toContain('→ From fetching it may go to: fetched, failed, retrying.')
  })

  it('prints plain lines: no escape codes, no bar, nothing wider than a terminal', () => {
    expect(first.stdout).not.toMatch(ESCAPE)
    expect(first.stdout).toMatch(/\d\d:\d\d:\d\d {2}\d+ of 900 PDFs, \d+ retries/)
    expect(first.stdout.split('\n').filter((line) => [...line].length > WIDTH)).toEqual([])
  })

  it('goes the same way every time', () => {
    expect(withoutNpm(withoutTimings(second.stdout))).toBe(withoutNpm(withoutTimings(first.stdout)))
  })

  it('does not install a second time, and leaves nothing behind but its ledger', () => {
    expect(second.stderr).not.toContain('installing')
    expect(statSync(STAMP).mtimeMs).toBe(installedAt)
    // Another test builds the package at the same time.
    const others = (names: readonly string[]) =>
      names.filter((name) => !['ledger-demo', 'dist'].includes(name))
    expect(others(readdirSync(ROOT))).toEqual(others(files))
  })

  it('prints what the README shows of it', () => {
    const shown = fences(page('README.md')).find(({ info }) => info === 'text demo')?.text ?? ''
    const printed = new Set(first.stdout.split('\n'))
    expect(shown.split('\n').length).toBeGreaterThan(20)
    expect(shown.split('\n').filter((line) => !printed.has(line))).toEqual([])
  })
})

// A pseudo terminal needs the `script` of util-linux, which not every system has.
describe.skipIf(!hasScript())('npm start on a terminal', () => {
  it('shows a progress bar that fills, in colour, and the same summary', () => {
    const { status, stdout } = startOnTerminal()
    expect(status).toBe(0)
    expect(stdout).toMatch(ESCAPE)
    const plain = stripVTControlCharacters(stdout)
    const percents = [...plain.matchAll(/[█░]{27} (\d+)% │ \d+\/900 PDFs/g)].map(([, percent]) =>
      Number(percent),
    )
    expect(percents.length).toBeGreaterThan(5)
    expect(percents).toEqual(percents.toSorted((a, b) => a - b))
    expect(percents.at(-1)).toBe(100)
    expect(plain).toContain('TRY NEXT')
    expect(plain).not.toContain('of 900 PDFs,')
  })

  it('keeps to NO_COLOR', () => {
    const { status, stdout } = startOnTerminal({ NO_COLOR: '1' })
    expect(status).toBe(0)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: colours are what it is about
    expect(stdout.slice(stdout.indexOf('Waybill'))).not.toMatch(/\u001b\[[\d;]*m/)
  })
})
