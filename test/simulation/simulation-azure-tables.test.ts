import { expect, it, onTestFinished } from 'vitest'
import { isLong } from '../crash/random/seeds.ts'
import { playSeeds } from './play-seeds.ts'

const RUNS = 8

/** The same ones each time, which a change must not break; `npm run test:simulation:long`, or a WAYBILL_SEED, plays others. */
const FIRST_SEED = '60000000'

/** With ten thousand of them. */
const LONGEST_MS = 6 * 3_600_000

/** What comes up in nearly every run: if it does in none of so many, they do not show what they are to show. */
const SIGHTS = [
  / is taken over$/,
  / Looking after what a process left behind$/,
  / dies at a write of /,
  / a write of .* is lost on its way$/,
  / a write of .* is lost on its way back$/,
  / a write of .* is slow to arrive$/,
]

it('keeps every law in an account of Azure, whatever befalls it', { timeout: LONGEST_MS }, async () => {
  const unseen = new Set(SIGHTS)
  const given = process.env.WAYBILL_SEED
  if (!isLong) process.env.WAYBILL_SEED ??= FIRST_SEED
  onTestFinished(() => {
    if (given === undefined) delete process.env.WAYBILL_SEED
  })
  const played = await playSeeds('azure-tables', RUNS, ({ lines }) => {
    for (const sight of unseen) if (lines.some((line) => sight.test(line))) unseen.delete(sight)
  })
  expect(played).toBeGreaterThan(0)
  if (played >= RUNS) expect([...unseen]).toEqual([])
})
