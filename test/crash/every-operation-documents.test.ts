import { expect, it } from 'vitest'
import { AGAIN_EVERY, crashEverywhere } from './every-operation.ts'
import { documents } from './histories/documents.ts'

it('A38: documents: a crash at any operation of the disk loses nothing, and neither does one while it recovers', async () => {
  const { operations, recoveries, recoveriesOfRecoveries } = await crashEverywhere(documents, {
    survivals: 2,
    again: true,
  })
  expect(operations).toBeGreaterThan(100)
  expect(recoveries).toBeGreaterThan(operations)
  expect(recoveriesOfRecoveries).toBeGreaterThan((4 * operations) / AGAIN_EVERY)
})
