import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { MigrationReport } from '../../src/legacy-logs.ts'
import { openLedger } from '../../src/open-ledger.ts'
import { SeededRandom } from '../../src/testing/seeded-random.ts'
import { Child } from '../crash/processes/child-process.ts'
import { playSeeds } from '../crash/random/seeds.ts'
import { scratch } from '../e2e/scratch.ts'
import { contentsOf, logOf } from './log-files.ts'

const LINES = 12_000
/** `npm run test:crash:long` has many more. */
const LOGS = 1
const KILLS_PER_LOG = 5
const STATES = ['auto_inflight', 'pdf_downloaded', 'auto_done', 'strange'] as const

function logWith(random: SeededRandom): string {
  const lines = Array.from({ length: LINES }, (_, n) => ({
    doc_id: `doc:${Math.floor(random.next() * 4000)}`,
    state: STATES[Math.floor(random.next() * 4)] as string,
    timestamp: 1.7e9 + n,
    metadata: { n },
  }))
  return logOf(...lines)
}

const CHILD = '../../legacy/importing-child.ts'

async function killAgainAndAgain(seed: number): Promise<number> {
  using place = scratch('killed-migration')
  const random = new SeededRandom(seed)
  const log = join(place.folder, 'ledger.jsonl')
  const content = logWith(random)
  writeFileSync(log, content)
  const folder = join(place.folder, 'ledger')
  let kills = 0
  for (let nth = 0; nth < KILLS_PER_LOG; nth++) {
    const child = new Child(CHILD, [log, folder])
    await child.said(1 + Math.floor(random.next() * 14))
    if (!child.hasEnded) kills++
    await child.kill()
    expect(child.errors).toBe('')
    expect(readFileSync(log, 'utf8')).toBe(content)
  }
  const last = new Child(CHILD, [log, folder])
  expect(await last.ended()).toEqual({ code: 0, signal: null })
  const report = JSON.parse(last.lines.at(-1) as string) as MigrationReport
  expect(report).toMatchObject({ lines: LINES, rejected: 0, agrees: true })
  expect(report.migrated + report.already_imported).toBe(LINES)
  await using ledger = await openLedger(folder)
  await using straight = await openLedger('memory:')
  await straight.migrate(log)
  expect(await contentsOf(ledger)).toEqual(await contentsOf(straight))
  expect(await ledger.check()).toEqual([])
  return kills
}

it('A40: a migration whose process is killed is completed by the next, and nothing is there twice', async () => {
  const kills = await playSeeds(LOGS, 1, killAgainAndAgain)
  expect(kills.reduce((sum, count) => sum + count)).toBeGreaterThan(LOGS)
})
