// `npm start` as people meet it: in a process of its own, on a terminal and off.
import { spawn } from 'node:child_process'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { beforeAll, describe, expect, it } from 'vitest'
import { environment, hasScript } from './environment.ts'
import { page } from './pages.ts'
import { fences } from './runnable-blocks.ts'
import { ROOT } from './scratch.ts'

const WIDTH = 80
/** What it prints at the end, before it waits. */
const LAST = 'Ctrl-C ends it.'
const STAMP = join(ROOT, 'node_modules/.waybill-installed')

// biome-ignore lint/suspicious/noControlCharactersInRegex: escape codes are what it is about
const ESCAPE = /\u001b/

interface Started {
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Until it has printed the link, which is used, and then ended as people end it. */
function run(program: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<Started> {
  const child = spawn(program, args, { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true })
  let stdout = ''
  let stderr = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    const before = stdout
    stdout += text
    if (stdout.includes(LAST) && !before.includes(LAST)) process.kill(-(child.pid as number), 'SIGINT')
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  return new Promise((resolve) => {
    child.once('close', (status) => resolve({ status, stdout, stderr }))
  })
}

function start(): Promise<Started> {
  return run('npm', ['start'], environment())
}

/** The same on a pseudo terminal: what is printed there, as it was printed. */
function startOnTerminal(env: NodeJS.ProcessEnv = {}): Promise<Started> {
  const command = `stty cols ${WIDTH} rows 40 && npm start`
  return run('script', ['--quiet', '--return', '--command', command, '/dev/null'], environment(env))
}

/** Timings differ from run to run, and with them what is written together; nothing else does. */
function withoutTimings(text: string): string {
  return text
    .replace(/which took .*$/m, '')
    .replace(/: [\d,]+ a second/, '')
    .replace(/OPENED AGAIN IN \d+ ms/, '')
    .replace(/ +\d+ kB$/gm, '')
    .replace(/http:\S+/, '')
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
  let first: Started
  let second: Started
  let installedAt: number
  let files: readonly string[]

  beforeAll(async () => {
    files = readdirSync(ROOT)
    first = await start()
    installedAt = statSync(STAMP).mtimeMs
    second = await start()
  })

  it('ends well, and says nothing on the error stream but what npm says', () => {
    expect(
      withoutNpm(first.stderr)
        .replace(/^waybill: (?:installing|dependencies) .*$/gm, '')
        .trim(),
    ).toBe('')
    // npm itself ends by the signal; the ledger was closed before.
    expect(readdirSync(join(ROOT, 'ledger-demo'))).not.toContain('LOCK.json')
  })

  it('ends with a summary', () => {
    for (const part of [
      'DOCUMENTS',
      'JOBS',
      'SLOWEST STEPS',
      'FAILED ATTEMPTS',
      'THE HISTORY OF',
      'TRY NEXT',
      'LOOK AROUND',
    ]) {
      expect(first.stdout).toContain(`\n  ${part}`)
    }
    expect(first.stdout).toContain('records and history agree')
    expect(first.stdout).toContain('Document aurora:0007 cannot go from fetching to ir_ready')
    expect(first.stdout).toContain('→ From fetching it may go to: fetched, failed, retrying.')
  })

  it('prints plain lines: no escape codes, no bar, nothing wider than a terminal but the link', () => {
    expect(first.stdout).not.toMatch(ESCAPE)
    expect(first.stdout).toMatch(/\d\d:\d\d:\d\d {2}\d+ of 900 PDFs, \d+ retries/)
    expect(
      first.stdout.split('\n').filter((line) => [...line].length > WIDTH && !line.includes('http:')),
    ).toEqual([])
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
  it('shows a progress bar that fills, in colour, and the same summary', async () => {
    const { status, stdout } = await startOnTerminal()
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

  it('keeps to NO_COLOR', async () => {
    const { status, stdout } = await startOnTerminal({ NO_COLOR: '1' })
    expect(status).toBe(0)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: colours are what it is about
    expect(stdout.slice(stdout.indexOf('Waybill'))).not.toMatch(/\u001b\[[\d;]*m/)
  })
})
