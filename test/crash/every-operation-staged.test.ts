import { expect, it } from 'vitest'
import { crashEverywhere } from './every-operation.ts'
import { staged } from './histories/staged.ts'

it('A38: stages of others, gates, escalation and runs: a crash at any operation loses nothing', async () => {
  const { operations, recoveries } = await crashEverywhere(staged, { survivals: 2, again: false })
  expect(operations).toBeGreaterThan(80)
  expect(recoveries).toBeGreaterThan(operations)
})
