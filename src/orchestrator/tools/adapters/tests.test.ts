import { describe, expect, it } from 'vitest'
import { finished, jobOf, onlyCommand, toolJob } from '../../../../test/fixtures/tool-jobs.ts'
import type { FinishedCommand } from '../adapter.ts'
import { testsAdapter } from './tests.ts'

const PYTEST = '=== 1 failed, 2 passed, 1 skipped in 0.12s ===\n'

const reportOf = (done: FinishedCommand) => testsAdapter.report?.(jobOf('pytest'), done)

describe('the tests adapter', () => {
  it('runs any runner as it is, without colours and questions', () => {
    const job = toolJob({ env: { CI: 'yes' }, command: { exe: 'npm', args: ['test', '--', '-x'] } })
    expect(onlyCommand(testsAdapter, job)).toEqual({
      exe: 'npm',
      args: ['test', '--', '-x'],
      env: { NO_COLOR: '1', FORCE_COLOR: '0', PYTHONUNBUFFERED: '1' },
    })
  })

  it('A65: reports the totals', () => {
    expect(reportOf(finished(PYTEST, { exitCode: 1, status: 'failed' }))).toEqual({
      tests: { framework: 'pytest', unit: 'test', passed: 2, failed: 1, skipped: 1, total: 4 },
    })
  })

  it('says so when the exit code does not tell of failures', () => {
    expect(reportOf(finished(PYTEST))).toMatchObject({ mismatch: true, tests: { failed: 1 } })
    expect(reportOf(finished('1 passed in 0.1s'))).not.toHaveProperty('mismatch')
  })

  it('has no totals where there is no report', () => {
    expect(reportOf(finished('all is well'))).toEqual({ tests: null })
  })

  it('says so when lines that were to be counted are missing', () => {
    const tail = '=== RUN   TestA\n--- PASS: TestA (0.00s)\n'
    expect(reportOf(finished(tail, { head: '=== RUN   TestZ\n' }))).toMatchObject({
      tests: { passed: 1, partial: true },
    })
    expect(reportOf(finished(tail))?.tests).not.toHaveProperty('partial')
    expect(reportOf(finished(PYTEST, { head: '...', exitCode: 1 }))?.tests).not.toHaveProperty('partial')
  })
})
