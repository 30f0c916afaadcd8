// What a suite says of itself when it is over, kept for the summary. Vitest's own JSON report has no differences, no
// errors of hooks or of loose promises, and no reasons for skipped tests.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import type { Reporter, TestCase, TestModule } from 'vitest/node'
import { ROOT } from './command.ts'
import type { Failure, SuiteReport } from './test-summary.ts'

export const REPORTS = join(ROOT, '.reports')

type Reported = { name?: string; message: string; stack?: string; diff?: string }

export default class SuiteReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], loose: readonly Reported[]): void {
    const suite = modules[0]?.project.name
    if (suite === undefined) return
    const tests = modules.flatMap((module) => [...module.children.allTests()])
    const inState = (state: string) => tests.filter((test) => test.result().state === state)
    const report: SuiteReport = {
      passed: inState('passed').length,
      failed: inState('failed').length,
      skipped: inState('skipped').length,
      failures: [
        ...modules.flatMap(failuresOf),
        ...loose.map((error) => failure('outside of all tests', [], error)),
      ],
      leftOut: inState('skipped').flatMap(reasonOf),
    }
    mkdirSync(REPORTS, { recursive: true })
    writeFileSync(join(REPORTS, `${suite}.json`), JSON.stringify(report))
  }
}

/** Of the file, which may not load; of its groups, whose hooks may fail; and of its tests. */
function failuresOf(module: TestModule): Failure[] {
  const file = relative(ROOT, module.moduleId)
  const groups = [...module.children.allSuites()]
  return [
    ...module.errors().map((error) => failure(file, [], error)),
    ...groups.flatMap((group) => group.errors().map((error) => failure(file, [group.fullName], error))),
    ...[...module.children.allTests('failed')].map((test) =>
      failure(file, [test.fullName], test.result().errors?.[0] ?? { message: 'It did not say why.' }),
    ),
  ]
}

function failure(file: string, test: readonly string[], { name, message, stack, diff }: Reported): Failure {
  const where = stack?.split('\n').find((line) => /^ +at /.test(line) && !/node_modules|node:/.test(line))
  const what = name === undefined || message.startsWith(name) ? message : `${name}: ${message}`
  return {
    name: [file, ...test].join(' > '),
    message: [what, where?.trim().replace(`${ROOT}/`, ''), diff].filter(Boolean).join('\n'),
  }
}

function reasonOf(test: TestCase): string[] {
  const result = test.result()
  return result.state === 'skipped' && result.note !== undefined ? [result.note] : []
}
