// Follows docs/five-minute-start.md as a reader would: writes the files, runs the commands, and compares what is printed. The
// package is there already, in the place of what `npm install` would fetch.
import { spawn, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { environment } from './environment.ts'
import { page } from './pages.ts'

const NAMED_FILE = /Put this into `([^`]+)`:\n\n```ts\n([\s\S]*?)```/g
const COMMANDS = /```sh\n([\s\S]*?)```(?:\n\n```text\n([\s\S]*?)```)?/g

const INSTALL = 'npm install waybill\n'
const SERVE = 'npx waybill serve\n'

export async function followFiveMinuteStart(app: string): Promise<void> {
  const text = page('docs/five-minute-start.md')
  const folder = join(app, 'five-minutes')
  mkdirSync(folder)
  cpSync(join(app, 'node_modules'), join(folder, 'node_modules'), { recursive: true, verbatimSymlinks: true })
  for (const [, name = '', code = ''] of text.matchAll(NAMED_FILE)) writeFileSync(join(folder, name), code)
  for (const [, commands = '', printed] of text.matchAll(COMMANDS)) {
    const run = commands.replace(INSTALL, '')
    const stdout = run === SERVE ? await servedUntilSeen(folder) : ran(folder, run)
    if (printed !== undefined) expect(fits(stdout, printed) || stdout).toBe(true)
  }
}

/** A command may end as badly as the page says: what counts is what it prints. */
function ran(cwd: string, commands: string): string {
  return spawnSync('bash', ['-c', commands], { cwd, encoding: 'utf8', env: environment(), timeout: 60_000 })
    .stdout
}

/** On another port, as somebody may have that of the page; opens its link, and stops it as Ctrl-C would. */
async function servedUntilSeen(cwd: string): Promise<string> {
  const waybill = join(cwd, 'node_modules/waybill/dist/cli/main.js')
  const child = spawn(process.execPath, [waybill, 'serve', '--port', '0'], {
    cwd,
    env: environment(),
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const ended = new Promise((resolve) => child.once('close', resolve))
  let printed = ''
  for await (const chunk of child.stdout) {
    printed += String(chunk)
    if (printed.includes('Ctrl-C stops it.\n')) break
  }
  const url = /http:\/\/127\.0\.0\.1:\d+/.exec(printed)?.[0] ?? 'no address'
  expect(await (await fetch(url)).text()).toContain('<title>Waybill')
  child.kill('SIGINT')
  await ended
  return printed.replaceAll(url, 'http://127.0.0.1:7420')
}

/** `…` stands for anything within a line, and alone on one for any lines. */
function fits(stdout: string, expected: string): boolean {
  const pattern = expected
    .split('\n')
    .map((line) => (line === '…' ? '[\\s\\S]*?' : line.split('…').map(RegExp.escape).join('.*')))
    .join('\n')
  return new RegExp(`^${pattern}$`).test(stdout)
}
