import { expect, it } from 'vitest'
import { playSeeds } from './play-seeds.ts'

const RUNS = 150
const LONGEST_MS = 120 * 60_000

it('keeps every law on the memory engine, whatever befalls it', { timeout: LONGEST_MS }, async () => {
  expect(await playSeeds('memory', RUNS)).toBeGreaterThan(0)
})
