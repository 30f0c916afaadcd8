// Our command line against the parser of the real codex, without an account or a network: with nothing on stdin it has
// read all its options before it says that there is no prompt. It is looked for on the PATH, and else installed by npm, once,
// into a folder for temporary files: it is large (436 MB) and takes some ten seconds. WAYBILL_TEST_CODEX names another
// executable, or is 0 to do without.
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { codexAdapter } from '../../src/orchestrator/tools/adapters/codex.ts'
import { jobOf, placeAt } from '../fixtures/tool-jobs.ts'
import { bareEnvironment, folder, runJob } from './run-job.ts'
import { standIn } from './stand-in.ts'

const home = folder('codex')
afterAll(() => home[Symbol.dispose]())

const VERSION = '0.166.0'

let missing = ''
const codex = findCodex()

function findCodex(): string | null {
  const asked = process.env.WAYBILL_TEST_CODEX ?? ''
  if (asked === '0') {
    missing = 'WAYBILL_TEST_CODEX is 0'
    return null
  }
  if (asked !== '') return asked
  return spawnSync('codex', ['--version']).status === 0 ? 'codex' : installed()
}

function installed(): string | null {
  const kept = join(tmpdir(), `waybill-test-codex-${VERSION}`)
  const executable = join(kept, 'node_modules/.bin/codex')
  if (existsSync(executable)) return executable
  const own = `${kept}.${process.pid}`
  mkdirSync(own, { recursive: true })
  writeFileSync(join(own, 'package.json'), '{}')
  const args = ['install', '--no-audit', '--no-fund', `@openai/codex@${VERSION}`]
  const { status, stderr } = spawnSync('npm', args, { cwd: own, encoding: 'utf8', timeout: 120_000 })
  if (status === 0 && !existsSync(kept)) renameSync(own, kept)
  rmSync(own, { recursive: true, force: true })
  if (existsSync(executable)) return executable
  missing = `npm does not install it here: ${(stderr ?? '').trim().split('\n')[0] ?? status}`
  return null
}

async function runCodex(message: string, ...args: readonly string[]) {
  const repo = join(home.path, 'repo')
  mkdirSync(repo, { recursive: true })
  const messageFile = join(repo, 'message.md')
  writeFileSync(messageFile, message)
  const job = { ...jobOf(codex ?? 'codex', ...args), env: { CODEX_HOME: home.path } }
  return runJob(codexAdapter, job, placeAt(repo, { messageFile }), bareEnvironment(home.path))
}

describe('the real codex', () => {
  beforeEach((context) => {
    if (codex === null) context.skip(`there is no codex here: ${missing}`)
  })

  it('tells its version', () => {
    const env = { ...bareEnvironment(home.path), CODEX_HOME: home.path }
    expect(execFileSync(codex ?? '', ['--version'], { encoding: 'utf8', env })).toMatch(/^codex-cli \d+\.\d+/)
  })

  it.each([
    [[]],
    [['--model', 'o3']],
    [['-s', 'read-only']],
    [['--approve-for-me']],
    [['--json', '--color=always', '-']],
    [['exec', '--skip-git-repo-check']],
  ])('takes our command line with %j', async (args) => {
    const { done } = await runCodex('', ...args)
    expect(done).toMatchObject({ exitCode: 1, tail: expect.stringContaining('No prompt provided via stdin') })
  })

  it('would say so if it did not', async () => {
    const { done } = await runCodex('', '--no-such-option')
    expect(done).toMatchObject({ exitCode: 2, tail: expect.stringContaining('--no-such-option') })
  })
})

it('codex gets exactly these arguments, and the message on stdin', async () => {
  using own = folder('codex-stand-in')
  const { path, seen } = standIn(own.path, 'codex')
  const messageFile = join(own.path, 'message.md')
  writeFileSync(messageFile, 'Fix it.\n')
  const place = placeAt(own.path, { messageFile })
  await runJob(codexAdapter, jobOf('codex', '-m', 'o3'), place, { ...bareEnvironment(own.path), PATH: path })
  expect(seen()).toMatchObject({
    argv: ['exec', '--sandbox', 'workspace-write', '--color', 'never', '-C', own.path, '-m', 'o3', '-'],
    stdin: 'Fix it.\n',
  })
})
