import { randomInt } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { isLong } from '../random/seeds.ts'
import { filesOf, flipped, smallLedger, truncated } from './damaged-ledger.ts'
import { outcomeOf, Prefixes } from './outcome.ts'

const THOROUGHLY_EVERY = 11

/** Every byte of a short one, and some of one with more in it; a seventh of them, another one each time, where there is little time. */
const PART = isLong ? 1 : 7
const SAMPLES = [
  ['documents', PART],
  ['documents and a job', 4 * PART],
] as const

describe.each(SAMPLES)('A38: the newest snapshot, of %s', async (content, every) => {
  const { disk, written, snapshots } = await smallLedger('crashed', content)
  const path = snapshots.at(-1) as string
  const bytes = Buffer.from(disk.files().get(path) as Uint8Array)
  const prefixes = new Prefixes(written, [written.length])
  const turn = randomInt(every)

  it('never gives a wrong answer, whichever byte is changed', async () => {
    for (const [byte, was] of bytes.entries()) {
      if (byte % every !== turn) continue
      const damaged = await flipped(disk, path, byte, was ^ (1 << (byte % 8)))
      const thoroughly = byte % THOROUGHLY_EVERY === 0
      const { complaints, findings, unreadable, ...outcome } = await outcomeOf(
        damaged,
        prefixes,
        thoroughly ? 'thoroughly' : 'at all records',
      )
      expect({ byte, ...outcome }).toEqual({ byte, damage: null, commits: written.length, refused: null })
      expect(new Set(complaints).isSubsetOf(new Set(['LEDGER_DAMAGED']))).toBe(true)
      // Passed over for the one before it, or found by those who look.
      if (thoroughly)
        expect({ byte, isSeen: complaints.length > 0 || findings !== 0 }).toEqual({ byte, isSeen: true })
    }
  })

  it('is passed over for the one before it, wherever it ends', async () => {
    for (let size = turn; size < bytes.length; size += 2 * every) {
      const damaged = await truncated(disk, path, size)
      const outcome = await outcomeOf(damaged, prefixes, 'quickly')
      expect({ size, ...outcome }).toMatchObject({
        size,
        commits: written.length,
        complaints: ['LEDGER_DAMAGED'],
        unreadable: [],
        refused: null,
      })
      expect(filesOf(damaged).has(path)).toBe(true)
    }
  })

  it('A39: is not needed, and neither is any other, as long as there is the history', async () => {
    let damaged = disk
    for (const snapshot of snapshots) damaged = await truncated(damaged, snapshot, 100)
    const outcome = await outcomeOf(damaged, prefixes, 'thoroughly')
    expect(outcome).toMatchObject({ commits: written.length, damage: null, unreadable: [], refused: null })
    expect(outcome.complaints).toEqual(snapshots.map(() => 'LEDGER_DAMAGED'))
    for (const snapshot of snapshots) expect(filesOf(damaged).get(snapshot)).toHaveLength(100)
  })
})
