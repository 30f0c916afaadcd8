import { expect, it } from 'vitest'
import { idProblem } from './names.ts'

it.each([
  ['pubmed:123#1:0a1b', null],
  ['x'.repeat(512), null],
  ['', 'must not be blank'],
  [' \t', 'must not be blank'],
  ['x'.repeat(513), 'must have at most 512 characters'],
  ['a\nb', 'must not have control characters'],
  ['a\x7fb', 'must not have control characters'],
  ['a\ud83d', 'must not have half a character'],
])('the id %j: %s', (id, problem) => {
  expect(idProblem(id)).toBe(problem)
})
