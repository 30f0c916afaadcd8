// Our rules for names of branches are git's: what one takes, the other takes.
import { spawnSync } from 'node:child_process'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { branchNameProblem } from '../../src/orchestrator/git/ref-name.ts'

/** No branch, though a ref may have the name: git takes them for something else where one would write a branch. */
const TAKEN_OTHERWISE = /^(?:-.*|@|HEAD)$/

const gitTakes = (name: string) =>
  !TAKEN_OTHERWISE.test(name) && spawnSync('git', ['check-ref-format', `refs/heads/${name}`]).status === 0

const LETTERS = ['a', 'B', '.', '-', '/', '~', '^', ':', ' ', '@', '{', '}', '[', '*', '\\', 'ä', '.lock']

it('a name is refused here exactly if git refuses it', () => {
  const names = fc.string({ unit: fc.constantFrom(...LETTERS), minLength: 1, maxLength: 5 })
  fc.assert(
    fc.property(names, (name) => {
      expect([name, branchNameProblem(name) === null]).toEqual([name, gitTakes(name)])
    }),
    { numRuns: 400, examples: [['@'], ['HEAD'], ['-'], ['a.lock'], ['..'], ['@a'], ['a@']] },
  )
})
