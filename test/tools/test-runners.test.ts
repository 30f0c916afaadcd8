// Real test runners, and what is read off what they print.
import { spawnSync } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { testsAdapter } from '../../src/orchestrator/tools/adapters/tests.ts'
import { placeAt, toolJob } from '../fixtures/tool-jobs.ts'
import { bareEnvironment, folder, runJob } from './run-job.ts'

const NODE_MODULES = join(import.meta.dirname, '../../node_modules')

async function runTests(files: { readonly [name: string]: string }, exe: string, ...args: readonly string[]) {
  using home = folder('runner')
  const root = join(home.path, 'project')
  mkdirSync(root)
  symlinkSync(NODE_MODULES, join(root, 'node_modules'))
  for (const [name, text] of Object.entries(files)) writeFileSync(join(root, name), text)
  const job = toolJob({ tool: 'tests', command: { exe, args } })
  const { done, report } = await runJob(testsAdapter, job, placeAt(root), bareEnvironment(home.path))
  return { exitCode: done.exitCode, tail: done.tail, ...report }
}

const NODE_TESTS = `
import { test } from 'node:test'
test('passes', () => {})
test('fails', () => { throw new Error('no') })
test.skip('waits', () => {})
test.todo('is to come')
`

describe('A65: totals of', () => {
  it.each(['spec', 'tap'])("Node's own test runner, told by its %s reporter", async (reporter) => {
    const args = ['--test', `--test-reporter=${reporter}`, 'a.test.mjs']
    expect(await runTests({ 'a.test.mjs': NODE_TESTS }, process.execPath, ...args)).toMatchObject({
      exitCode: 1,
      tests: { framework: 'node:test', passed: 1, failed: 1, skipped: 2, total: 4 },
    })
  })

  it('vitest', async () => {
    const test = `
      import { test } from 'vitest'
      test('passes', () => {})
      test('fails', () => { throw new Error('no') })
      test.skip('waits', () => {})
      test.todo('is to come')
      test.fails('is known to fail', () => { throw new Error('no') })
    `
    const args = [join(NODE_MODULES, 'vitest/vitest.mjs'), 'run']
    const ran = await runTests({ 'a.test.js': test }, process.execPath, ...args)
    expect(ran).toMatchObject({
      exitCode: 1,
      tests: { framework: 'vitest', passed: 2, failed: 1, skipped: 2, total: 5 },
    })
    expect(ran.tail).not.toContain('\u001b[')
  })

  it('pytest', async (context) => {
    if (spawnSync('python3', ['-m', 'pytest', '--version']).status !== 0) {
      context.skip('there is no pytest here: python3 -m pip install pytest')
    }
    const test = `
import pytest
def test_passes(): pass
def test_fails(): assert 0
@pytest.mark.skip
def test_waits(): pass
@pytest.mark.xfail
def test_is_known_to_fail(): assert 0
@pytest.fixture
def broken(): raise Exception('no')
def test_errs(broken): pass
`
    expect(await runTests({ 'test_a.py': test }, 'python3', '-m', 'pytest')).toMatchObject({
      exitCode: 1,
      tests: { framework: 'pytest', passed: 1, failed: 2, skipped: 2, total: 5 },
    })
  })

  it('a script that prints as pytest does, and hides in its exit code what failed', async () => {
    const script = `
console.log('\\u001b[31mF\\u001b[0m..s')
console.log('=========== short test summary info ===========')
console.log('FAILED test_a.py::test_b - assert 0')
console.log('\\u001b[31m====== \\u001b[1m1 failed\\u001b[0m, 2 passed, 1 skipped in 0.02s ======\\u001b[0m')
`
    expect(await runTests({ 'run.mjs': script }, process.execPath, 'run.mjs')).toMatchObject({
      exitCode: 0,
      mismatch: true,
      tests: { framework: 'pytest', passed: 2, failed: 1, skipped: 1, total: 4 },
    })
  })
})
