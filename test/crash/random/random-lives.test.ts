import { expect, it } from 'vitest'
import { playRandomLives } from './random-lives.ts'
import { seeds, withSeed } from './seeds.ts'

const RUNS = 50
const LONGEST_MS = 30 * 60_000

it('keeps what it acknowledged through random lives and their ends', { timeout: LONGEST_MS }, async () => {
  let recoveries = 0
  let runs = 0
  for (const seed of seeds(RUNS)) {
    recoveries += await withSeed(seed, playRandomLives)
    runs++
  }
  expect(recoveries).toBeGreaterThanOrEqual(runs)
})
