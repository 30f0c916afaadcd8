import { expect, it } from 'vitest'
import { DEPENDENCY_POLICIES, PRIORITIES } from './record.ts'

it('a priority is the place of its name, the most urgent first', () => {
  expect([PRIORITIES.indexOf('critical'), PRIORITIES.indexOf('low')]).toEqual([0, 3])
  expect(DEPENDENCY_POLICIES).toEqual(['fail', 'skip', 'release'])
})
