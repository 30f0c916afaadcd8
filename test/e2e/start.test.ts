// `npm start` as people meet it: in a process of its own, on a terminal and off.
import { spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, realpathSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { environment, hasScript } from './environment.ts'
import { livingSystem, processesBelow } from './living-demo.ts'
import { openSession, type PageSession } from './page-session.ts'
import { page } from './pages.ts'
import { fences } from './runnable-blocks.ts'
import { ROOT } from './scratch.ts'

const WIDTH = 80
/** What it prints at the end, before it waits. */
const LAST = 'Ctrl-C ends it.'
const STAMP = join(ROOT, 'node_modules/.waybill-installed')

// biome-ignore lint/suspicious/noControlCharactersInRegex: escape codes are what it is about
const ESCAPE = /\u001b/

interface Started<T = unknown> {
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
  /** How the link was answered. */
  readonly opened: readonly number[]
  /** What was seen on the page. */
  readonly seen: T | undefined
}

/** Until it has printed the link, which is used to look around, or what is enough; and then ended as people end it. */
function run<T>(
  program: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  look: (page: PageSession) => Promise<T>,
  enough?: RegExp,
): Promise<Started<T>> {
  const child = spawn(program, args, { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true })
  let stdout = ''
  let stderr = ''
  let opened: readonly number[] = []
  let seen: T | undefined
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    const before = stdout
    stdout += text
    const end = () => process.kill(-(child.pid as number), 'SIGINT')
    if (enough?.test(stdout) === true && !enough.test(before)) end()
    if (!stdout.includes(LAST) || before.includes(LAST)) return
    openSession(linkIn(stdout))
      .then(async (page) => {
        opened = page.statuses
        seen = await look(page)
      })
      .catch((error) => {
        stderr += error
      })
      .finally(end)
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  return new Promise((resolve) => {
    child.once('close', (status) => resolve({ status, stdout, stderr, opened, seen }))
  })
}

function linkIn(stdout: string): URL {
  return new URL(/http:\/\/\S+/.exec(stripVTControlCharacters(stdout))?.[0] ?? '')
}

/** What it needs for a while goes into a folder of its own. */
function start(TMPDIR: string) {
  return run('npm', ['start'], environment({ TMPDIR }), livingSystem)
}

/** The same on a pseudo terminal: what is printed there, as it was printed. */
function startOnTerminal(env: NodeJS.ProcessEnv = {}, enough?: RegExp): Promise<Started> {
  const command = `stty cols ${WIDTH} rows 40 && npm start`
  const args = ['--quiet', '--return', '--command', command, '/dev/null']
  return run('script', args, environment(env), async () => {}, enough)
}

/** Times differ from run to run, with all that is made of them, and so does what is written together; nothing else does. */
function withoutTimings(text: string): string {
  return text
    .replace(/which took .*$/m, '')
    .replace(/: [\d,]+ a second/, '')
    .replace(/OPENED AGAIN IN \d+ ms/, '')
    .replace(/ +\d+ kB$/gm, '')
    .replace(/snapshot-\w+\.\w+-/, 'snapshot-')
    .replace(/http:\S+/, '')
}

/** From the first heading on: before it there is a bar on a terminal, and lines elsewhere. */
function summaryOf(text: string): string {
  return withoutTimings(text.slice(text.indexOf('\n  DOCUMENTS')).replaceAll('\r', '')).trim()
}

/** npm's own lines: its warnings, and which script it runs. */
function withoutNpm(text: string): string {
  return text
    .split('\n')
    .filter((line) => !/^(?:npm (?:warn|notice)|> )/i.test(line))
    .join('\n')
    .trim()
}

let summary = ''

describe('npm start, its output sent to a file', () => {
  let first: Awaited<ReturnType<typeof start>>
  let installedAt: number
  let files: readonly string[]
  const scratch = realpathSync(mkdtempSync(join(tmpdir(), 'waybill-start-')))

  beforeAll(async () => {
    files = readdirSync(ROOT)
    installedAt = statSync(STAMP).mtimeMs
    first = await start(scratch)
    summary = summaryOf(first.stdout)
  })
  afterAll(() => rmSync(scratch, { recursive: true, force: true }))

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

  it('ends with a link that opens the page', () => {
    expect(first.opened).toEqual([200, 200])
  })

  it('has a living system behind the page', () => {
    expect(first.seen).toEqual({
      tenants: ['aurora', 'borealis', 'cascade'],
      hasToolJobs: true,
      atGate: 'gate',
      heldUp: 'dependency',
      stuck: expect.arrayContaining(['aurora:fax-0001', 'borealis:fax-0002']),
      paused: ['newsletter/send'],
      schedules: ['sitemap'],
      runs: ['backlog-1 running', 'smoke-1 succeeded'],
      isLogInColour: true,
    })
  })

  it('ends in good order: nothing goes on running, and what it needed for a while is gone', () => {
    expect(processesBelow(scratch)).toEqual([])
    expect(readdirSync(scratch).filter((name) => name.startsWith('waybill-demo'))).toEqual([])
  })

  it('prints plain lines: no escape codes, no bar, nothing wider than a terminal but the link', () => {
    expect(first.stdout).not.toMatch(ESCAPE)
    expect(first.stdout).toMatch(/\d\d:\d\d:\d\d {2}\d+ of 900 PDFs, \d+ retries/)
    expect(
      first.stdout.split('\n').filter((line) => [...line].length > WIDTH && !line.includes('http:')),
    ).toEqual([])
  })

  it('installs nothing that is there, and leaves nothing behind but its ledger', () => {
    // Not even the first time here: whoever runs the tests has done so.
    expect(first.stderr).not.toContain('installing')
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
    // It goes the same way every time.
    expect(summaryOf(plain)).toBe(summary)
  })

  it('keeps to NO_COLOR', async () => {
    // One function paints everything: the title and the bar are enough to see what it does.
    const { stdout } = await startOnTerminal({ NO_COLOR: '1' }, / [1-9]\d*\/900 PDFs/)
    expect(stdout).toContain('Waybill moves 900 PDFs')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: colours are what it is about
    expect(stdout.slice(stdout.indexOf('Waybill'))).not.toMatch(/\u001b\[[\d;]*m/)
  })
})
