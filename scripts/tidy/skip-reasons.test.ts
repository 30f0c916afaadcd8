import { expect, it } from 'vitest'
import { skipReasons } from './skip-reasons.ts'
import { sourceFile } from './source-file.ts'

const check = (text: string) => skipReasons.check(sourceFile('test/a.test.ts', text))

it.each([
  `it.skip('works', () => {})`,
  `describe.skip('all of it', () => {})`,
  `it.concurrent.skip('works', () => {})`,
  `it.skipIf(onWindows)('works', () => {})`,
  `it('works', (context) => context.skip())`,
  `it('works', (ctx) => ctx.skip(onWindows))`,
  `// far away\n\nit.skip('works', () => {})`,
])('refuses %s', (text) => {
  expect(check(text)).toMatchObject([{ what: 'test skipped without a reason' }])
})

it.each([
  `// Needs a real disk.\nit.skip('works', () => {})`,
  `it.skip('works', () => {}) // needs a real disk`,
  `it('works', (context) => context.skip('needs a real disk'))`,
  `it('works', (ctx) => ctx.skip(onWindows, 'Windows has no signals'))`,
  `page.skip(10)`,
])('accepts %s', (text) => {
  expect(check(text)).toEqual([])
})
