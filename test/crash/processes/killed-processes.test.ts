import { expect, it } from 'vitest'
import { SeededRandom } from '../../../src/testing/seeded-random.ts'
import { scratch } from '../../e2e/scratch.ts'
import { playSeeds } from '../random/seeds.ts'
import { Acknowledged, mustOpen } from './acknowledged.ts'
import { Child } from './child-process.ts'

/** `npm run test:crash:long` has many more. */
const LEDGERS = 3
const KILLS_PER_LEDGER = 6

/** After how many lines a child is killed: some as soon as it opens the ledger, some when snapshots are under way. */
function linesBeforeKill(random: SeededRandom): number {
  const roll = random.next()
  if (roll < 0.15) return 1
  return 2 + Math.floor(random.next() * (roll < 0.7 ? 300 : 2000))
}

async function killAgainAndAgain(seed: number): Promise<number> {
  using place = scratch('killed')
  const random = new SeededRandom(seed)
  const acknowledged = new Acknowledged()
  const folder = `${place.folder}/ledger`
  for (let nth = 1; nth <= KILLS_PER_LEDGER; nth++) {
    const child = new Child('writing-child.ts', [folder, 'at once'])
    await child.said(linesBeforeKill(random))
    await child.kill()
    expect(child.errors).toBe('')
    acknowledged.hear(child.lines)
    if (acknowledged.count === 0) continue
    const ledger = acknowledged.mustBeIn(folder)
    if (nth % 6 === 0) await mustOpen(folder, ledger)
  }
  return acknowledged.count
}

it(`A42: keeps what it acknowledged when its process is killed, ${LEDGERS * KILLS_PER_LEDGER} times`, async () => {
  const counts = await playSeeds(LEDGERS, 2, killAgainAndAgain)
  expect(counts.reduce((sum, count) => sum + count)).toBeGreaterThan(100 * counts.length)
})
