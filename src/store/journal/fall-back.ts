import type { LedgerDamaged } from '../../errors/journal-errors.ts'
import { loadJournal } from './load-journal.ts'
import type { OpenJournal } from './open-journal.ts'
import type { Snapshot } from './snapshot/snapshot.ts'

/**
 * Damage in a snapshot is found when the block is read, maybe long after opening. The snapshot before it and the
 * history since say the same, so the ledger goes on with those; nothing that was in memory changes.
 */
export function fallBackFrom(
  journal: OpenJournal,
): (snapshot: Snapshot, damage: LedgerDamaged) => Promise<void> {
  let falling: Promise<void> | null = null
  return (snapshot, damage) => {
    // Somebody else came upon the damage, too, and it is being seen to or has been.
    falling ??= (
      journal.image.base === snapshot ? fallBack(journal, snapshot, damage) : Promise.resolve()
    ).finally(() => {
      falling = null
    })
    return falling
  }
}

async function fallBack(journal: OpenJournal, snapshot: Snapshot, damage: LedgerDamaged): Promise<void> {
  const { place, image } = journal
  const without = [...journal.damagedSnapshots, damage.place.file]
  const before = journal.deltas.at(-1)?.firstSeq
  const older = await loadJournal(place, { without, ...(before === undefined ? null : { before }) })
  if (older.damage !== null || older.nextSeq <= snapshot.head.seq) {
    await older.image.retire()
    throw damage
  }
  journal.damagedSnapshots = without
  const { code, message } = damage
  place.logger.warn({ code, ...damage.place }, `${message}; using the snapshot before it`)
  image.adopt(older.image)
  await image.rebase(older.image.release())
}
