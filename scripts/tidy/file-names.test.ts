import { expect, it } from 'vitest'
import { fileNames } from './file-names.ts'
import { sourceFile } from './source-file.ts'

const check = (path: string) => fileNames.check(sourceFile(path, '')).map(({ what }) => what)

it.each([
  'src/core/job-state.ts',
  'src/index.test.ts',
  'ui/vite-env.d.ts',
  'test/compat/v0.1.0/open.test.ts',
  'README.md',
])('accepts %s', (path) => {
  expect(check(path)).toEqual([])
})

it.each([
  ['src/core/jobState.ts', '"jobState.ts" is not kebab-case'],
  ['ui/JobPage.tsx', '"JobPage.tsx" is not kebab-case'],
  ['src/job_state/a.ts', '"job_state" is not kebab-case'],
  ['src/core/utils.ts', '"utils.ts" could hold anything'],
  ['src/core/types.ts', '"types.ts" could hold anything'],
  ['src/helpers/a.ts', '"helpers" could hold anything'],
  ['test/common/a.test.ts', '"common" could hold anything'],
  ['scripts/misc.ts', '"misc.ts" could hold anything'],
])('refuses %s', (path, what) => {
  expect(check(path)).toEqual([what])
})
