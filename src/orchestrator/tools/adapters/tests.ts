import type { JsonObject } from '../../../core/json.ts'
import { readTestTotals } from '../../reports/read-test-totals.ts'
import { type Adapter, type FinishedCommand, unlessSet } from '../adapter.ts'

/** What test runners look at: nobody is there to answer, colours are noise, and what is printed is wanted at once. */
const ENVIRONMENT = { CI: '1', NO_COLOR: '1', FORCE_COLOR: '0', PYTHONUNBUFFERED: '1' }

/** Tests of any runner, run as the job has it; the totals are read off what it prints. */
export const testsAdapter: Adapter = {
  tool: 'tests',
  defaultTimeoutSeconds: 300,
  passEnv: [],
  prepare: (job) => ({
    exe: job.command.exe,
    args: [...job.command.args],
    env: unlessSet(job, ENVIRONMENT),
  }),
  report: (_, done) => totalsOf(done),
}

/** Null where no report is known again: no totals is something else than totals of nothing. */
function totalsOf({ tail, head, exitCode }: FinishedCommand): JsonObject {
  const totals = readTestTotals(tail)
  if (totals === null) return { tests: null }
  const { counted, ...tests } = totals
  return {
    // Counted line by line, and some lines are missing: there were at least so many.
    tests: { ...tests, ...(counted === 'lines' && head !== tail && { partial: true }) },
    ...(exitCode === 0 && tests.failed > 0 && { mismatch: true }),
  }
}
