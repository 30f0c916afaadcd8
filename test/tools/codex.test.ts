// Our command line against the parser of the real codex, without an account or a network: with nothing on stdin it has
// read all its options before it says that there is no prompt. It is a large package (436 MB), so it is looked for on the
// PATH and in WAYBILL_TEST_CODEX, which names its executable, or is 1 to have npm install it for this run.
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { codexAdapter } from '../../src/orchestrator/tools/adapters/codex.ts'
import { jobOf, placeAt } from '../fixtures/tool-jobs.ts'
import { bareEnvironment, folder, runJob } from './run-job.ts'
import { standIn } from './stand-in.ts'

const home = folder('codex')
afterAll(() => home[Symbol.dispose]())

const codex = findCodex()

function findCodex(): string | null {
  const asked = process.env.WAYBILL_TEST_CODEX ?? ''
  if (asked === '1') {
    writeFileSync(join(home.path, 'package.json'), '{}')
    const args = ['install', '--no-audit', '--no-fund', '@openai/codex']
    execFileSync('npm', args, { cwd: home.path, stdio: 'pipe', timeout: 300_000 })
    return join(home.path, 'node_modules/.bin/codex')
  }
  if (asked !== '') return asked
  return spawnSync('codex', ['--version']).status === 0 ? 'codex' : null
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
    if (codex === null) context.skip('there is no codex here: WAYBILL_TEST_CODEX=1 installs it for the run')
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
