import { toEpochSeconds, toIso } from '../../core/time.ts'
import { LedgerDamaged } from '../../errors/journal-errors.ts'
import type { World } from '../../world/world.ts'
import type { Finding } from '../store.ts'
import { salvageDelta } from './delta/salvage-delta.ts'
import { listFiles, type NamedFile } from './file-names.ts'
import { lockJournal } from './journal-lock.ts'
import { type JournalPlace, loadJournal } from './load-journal.ts'
import { Snapshot } from './snapshot/snapshot.ts'

export interface RepairReport {
  /** What was wrong, and what was done about it. */
  readonly repaired: readonly Finding[]
  /** Where everything is that was taken out. */
  readonly kept: readonly string[]
  /** Seqs that could not be saved, first and last. */
  readonly lost: readonly (readonly [first: number, last: number])[]
}

/** More rounds than a ledger has batches that do not follow. */
const MOST_ROUNDS = 1000

/**
 * Makes a damaged ledger one that can be written to again. Every batch that is whole and follows from what is there
 * stays, also those after the damage; what is taken out is kept in files beside it. Sealed history is not touched.
 */
export async function repairJournal(folder: string, world: World): Promise<RepairReport> {
  const { disk, timers, logger } = world
  const place: JournalPlace = { disk, folder, timers, logger }
  const lock = await lockJournal(disk, folder, { pid: process.pid, server: null })
  try {
    const report: Report = { repaired: [], kept: [], lost: [] }
    await setSnapshotsAside(place, report)
    for (let round = 0; round < MOST_ROUNDS; round++) {
      const { damage, image } = await loadJournal(place)
      await image.retire()
      if (damage === null) return report
      await repairDelta(place, damage, world.clock.now(), report)
    }
    throw new Error('a repair comes to an end')
  } finally {
    await lock.release()
  }
}

type Report = { -readonly [F in keyof RepairReport]: RepairReport[F][number][] }

/** A snapshot that is bad is not needed: the one before it and the history say the same. */
async function setSnapshotsAside({ disk, folder }: JournalPlace, report: Report): Promise<void> {
  const { snapshots } = await listFiles(disk, folder)
  for (const { path } of snapshots) {
    const problem = await problemOf(() => verified(disk, path))
    if (problem === null) continue
    await disk.rename(path, `${path}.damaged`)
    await disk.syncFolder(folder)
    report.kept.push(`${path}.damaged`)
    report.repaired.push({ where: path, what: `${problem}; it was set aside` })
  }
}

async function verified(disk: JournalPlace['disk'], path: string): Promise<string | null> {
  const snapshot = await Snapshot.open(disk, path)
  if (snapshot === null) return null
  try {
    return (await snapshot.verify())[0]?.what ?? null
  } finally {
    await snapshot.close()
  }
}

async function problemOf(look: () => Promise<string | null>): Promise<string | null> {
  try {
    return await look()
  } catch (error) {
    if (error instanceof LedgerDamaged) return error.message
    throw error
  }
}

async function repairDelta(
  place: JournalPlace,
  damage: LedgerDamaged,
  now: number,
  report: Report,
): Promise<void> {
  const { deltas } = await listFiles(place.disk, place.folder)
  const index = deltas.findIndex(({ path }) => path === damage.place.file)
  const delta = deltas[index]
  // Sealed history, or a file that is missing: there is nothing here to save it from.
  if (delta === undefined) throw damage
  const next: NamedFile | undefined = deltas[index + 1]
  const { bytes, lost } = await salvageDelta(place.disk, delta, {
    dropFrom: damage.place.byte,
    until: next?.seq,
    timestamp: toEpochSeconds(now),
    created_at: toIso(now),
  })
  const kept = await keepCopy(place, delta.path)
  await replaceFile(place, delta.path, bytes)
  report.kept.push(kept)
  report.lost.push(...lost)
  report.repaired.push({ where: damage.message, what: `kept as ${kept}; everything else of the file stays` })
}

/** Copies are numbered, so that none is ever overwritten. */
async function keepCopy({ disk, folder }: JournalPlace, path: string): Promise<string> {
  const names = new Set(await disk.list(folder))
  let kept = `${path}.damaged`
  for (let n = 2; names.has(kept.slice(folder.length + 1)); n++) kept = `${path}.${n}.damaged`
  const from = await disk.openToRead(path)
  if (from === null) throw new LedgerDamaged({ file: path, byte: 0 }, 'the file is gone')
  try {
    await writeWhole(disk, kept, await from.read(0, await from.size()))
  } finally {
    await from.close()
  }
  await disk.syncFolder(folder)
  return kept
}

async function replaceFile({ disk, folder }: JournalPlace, path: string, bytes: Uint8Array): Promise<void> {
  await writeWhole(disk, `${path}.tmp`, bytes)
  await disk.rename(`${path}.tmp`, path)
  await disk.syncFolder(folder)
}

async function writeWhole(disk: JournalPlace['disk'], path: string, bytes: Uint8Array): Promise<void> {
  const file = await disk.open(path)
  try {
    await file.truncate(0)
    await file.write(0, bytes)
    await file.sync()
  } finally {
    await file.close()
  }
}
