import { expect, it } from 'vitest'
import { stridesOf } from '../../../test/fixtures/strides.ts'
import type { JobAggregate } from '../../core/aggregate.ts'
import { keptJob } from './kept.ts'

it('says of jobs that are alike what their records say', () => {
  const { strides } = stridesOf({ steps: 2, actor: 'worker', output: null, laterMs: 5 })
  const jobs: readonly JobAggregate[] = [...strides.slice(0, 1).map(({ birth }) => birth), ...strides]
  for (const aggregate of jobs) {
    const { job, steps, outbox } = aggregate
    expect(keptJob(aggregate)).toEqual(keptJob({ job, steps, outbox }))
  }
  expect(jobs.map((aggregate) => keptJob(aggregate).isAtRest)).toEqual([false, false, false, false, true])
})
