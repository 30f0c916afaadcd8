import { randomInt } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { isLong } from '../random/seeds.ts'
import { flipped, type SmallLedger, smallLedger, truncated } from './damaged-ledger.ts'
import { outcomeOf, Prefixes } from './outcome.ts'

const THOROUGHLY_EVERY = 13

/** A fifth of the bytes, another one each time, where there is little time. */
const PART = isLong ? 1 : 5

describe.each(['oldest', 'newest'] as const)('A38: the %s sealed segment', async (which) => {
  const ledger = await smallLedger('crashed', 'documents')
  const { disk, written, segments } = ledger
  const path = segments.at(which === 'oldest' ? 0 : -1) as string
  const bytes = Buffer.from(disk.files().get(path) as Uint8Array)
  const prefixes = new Prefixes(written, [written.length])

  it('never gives a wrong history, whichever byte is changed', async () => {
    let unreadable = 0
    const turn = randomInt(PART)
    for (const [byte, was] of bytes.entries()) {
      if (byte % PART !== turn) continue
      const damaged = await flipped(disk, path, byte, was ^ (1 << (byte % 8)))
      const thoroughly = byte % THOROUGHLY_EVERY === 0
      const outcome = await outcomeOf(damaged, prefixes, thoroughly ? 'thoroughly' : 'quickly')
      expect({ byte, ...outcome }).toMatchObject({
        byte,
        damage: null,
        commits: written.length,
        refused: null,
      })
      expect(['', 'audit']).toContain(outcome.unreadable.join())
      if (thoroughly) expect({ byte, isFound: outcome.findings !== 0 }).toEqual({ byte, isFound: true })
      unreadable += outcome.unreadable.length
    }
    expect(unreadable).toBeGreaterThan(bytes.length / PART / 2)
  })

  it('never gives a wrong history, wherever it ends', async () => {
    for (let size = 0; size < bytes.length; size += 5) {
      const outcome = await outcomeOf(
        await truncated(disk, path, size),
        prefixes,
        size % THOROUGHLY_EVERY === 0 ? 'thoroughly' : 'quickly',
      )
      expect({ size, ...outcome }).toMatchObject({
        size,
        damage: null,
        commits: written.length,
        unreadable: ['audit'],
        refused: null,
      })
    }
  })

  it('A39: is named when it is damaged and needed, since every snapshot is bad', async () => {
    const bad = await withoutSnapshots(ledger)
    const every = new Prefixes(
      written,
      Array.from({ length: written.length + 1 }, (_, n) => n),
    )
    for (const [byte, was] of bytes.entries()) {
      if (byte % 5 !== 0) continue
      const damaged = await flipped(bad, path, byte, was ^ (1 << (byte % 8)))
      const { damage, commits, refused } = await outcomeOf(damaged, every, 'quickly')
      const isRead = damage === null
      expect({ byte, refused }).toEqual({ byte, refused: isRead ? null : 'LEDGER_DAMAGED' })
      if (isRead) expect({ byte, commits }).toEqual({ byte, commits: written.length })
      else
        expect({ byte, file: damage.file, isPart: commits !== null }).toEqual({
          byte,
          file: path,
          isPart: true,
        })
    }
  })
})

async function withoutSnapshots({ disk, snapshots }: SmallLedger) {
  let damaged = disk
  for (const snapshot of snapshots) damaged = await truncated(damaged, snapshot, 100)
  return damaged
}
