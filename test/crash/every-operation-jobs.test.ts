import { expect, it } from 'vitest'
import { AGAIN_EVERY, crashEverywhere } from './every-operation.ts'
import { jobs } from './histories/jobs.ts'
import { steered } from './histories/steered.ts'

it('A38: jobs: a crash at any operation of the disk loses nothing, and neither does one while it recovers', async () => {
  const { operations, recoveries, recoveriesOfRecoveries } = await crashEverywhere(jobs, {
    survivals: 2,
    again: true,
  })
  expect(operations).toBeGreaterThan(100)
  expect(recoveries).toBeGreaterThan(operations)
  expect(recoveriesOfRecoveries).toBeGreaterThan((4 * operations) / AGAIN_EVERY)
})

it('A38: queues, rates, schedules and jobs run again: a crash at any operation loses nothing', async () => {
  const { operations, recoveries } = await crashEverywhere(steered, { survivals: 2, again: false })
  expect(operations).toBeGreaterThan(80)
  expect(recoveries).toBeGreaterThan(operations)
})
