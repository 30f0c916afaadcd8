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
  /** What came of using the link. */
  readonly opened: string
}

/** Until it has printed the link, which is used, and then ended as people end it. */
function run(program: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<Started> {
  const child = spawn(program, args, { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true })
  let stdout = ''
  let stderr = ''
  let opened = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    const before = stdout
    stdout += text
    if (!stdout.includes(LAST) || before.includes(LAST)) return
    const end = () => process.kill(-(child.pid as number), 'SIGINT')
    openedBy(stdout)
      .then((text) => {
        opened = text
      })
      .finally(end)
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  return new Promise((resolve) => {
    child.once('close', (status) => resolve({ status, stdout, stderr, opened }))
  })
}

/** As a browser does it: the page of the link, and the code after the hash for a session. */
async function openedBy(stdout: string): Promise<string> {
  const link = new URL(/http:\/\/\S+/.exec(stripVTControlCharacters(stdout))?.[0] ?? '')
  const page = await fetch(link)
  const session = await fetch(new URL('/v1/session', link), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ code: link.hash.slice(1) }),
  })
  const cookie = session.headers.get('set-cookie')?.split(';')[0] ?? ''
  const stats = await fetch(new URL('/v1/stats?tenant_id=aurora', link), { headers: { cookie } })
  const { counts } = (await stats.json()) as { counts: { document: { completed: number } } }
  return `${page.status} ${session.status} ${stats.status} ${counts.document.completed}`
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
  let first: Started
  let installedAt: number
  let files: readonly string[]

  beforeAll(async () => {
    files = readdirSync(ROOT)
    installedAt = statSync(STAMP).mtimeMs
    first = await start()
    summary = summaryOf(first.stdout)
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

  it('ends with a link that opens the page', () => {
    expect(first.opened).toBe('200 200 200 515')
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
  })

  it('keeps to NO_COLOR, and goes the same way every time', async () => {
    const { status, stdout } = await startOnTerminal({ NO_COLOR: '1' })
    expect(status).toBe(0)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: colours are what it is about
    expect(stdout.slice(stdout.indexOf('Waybill'))).not.toMatch(/\u001b\[[\d;]*m/)
    expect(summaryOf(stripVTControlCharacters(stdout))).toBe(summary)
  })
})
