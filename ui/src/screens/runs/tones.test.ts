import { expect, it } from 'vitest'
import type { Machine } from '../../../../src/core/machine.ts'
import { jobMachine } from '../../../../src/core/machines/job.ts'
import { tonesOf } from './tones.ts'

it('states of one tone are one share, the best first, and none is shown of nothing', () => {
  const counts = { FAILED_FINAL: 1, QUEUED: 2, SUCCEEDED: 5, IN_PROGRESS: 3, DISPATCHING: 1, CANCELLED: 0 }
  expect(tonesOf(jobMachine as Machine<string>, counts)).toEqual([
    { tone: 'good', count: 5, said: '5 SUCCEEDED' },
    { tone: 'busy', count: 4, said: '1 DISPATCHING, 3 IN_PROGRESS' },
    { tone: 'waiting', count: 2, said: '2 QUEUED' },
    { tone: 'bad', count: 1, said: '1 FAILED_FINAL' },
  ])
  expect(tonesOf(jobMachine as Machine<string>, {})).toEqual([])
})
