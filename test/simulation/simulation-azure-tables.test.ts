import { expect, it } from 'vitest'
import { playSeeds } from './play-seeds.ts'

const RUNS = 10

/** With ten thousand of them. */
const LONGEST_MS = 6 * 3_600_000

it('keeps every law in an account of Azure, whatever befalls it', { timeout: LONGEST_MS }, async () => {
  expect(await playSeeds('azure-tables', RUNS)).toBeGreaterThan(0)
})
