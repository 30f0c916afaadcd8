import { expect, it } from 'vitest'
import { playSeeds } from './play-seeds.ts'

const RUNS = 22

/** With ten thousand of them. */
const LONGEST_MS = 6 * 3_600_000

it('keeps every law on the journal engine, whatever befalls it', { timeout: LONGEST_MS }, async () => {
  expect(await playSeeds('journal', RUNS)).toBeGreaterThan(0)
})
