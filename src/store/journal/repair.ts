import { basename } from 'node:path'
import { toEpochSeconds, toIso } from '../../core/time.ts'
import { LedgerDamaged } from '../../errors/journal-errors.ts'
import type { World } from '../../world/world.ts'
import type { Finding } from '../store.ts'
import { headerLine } from './delta/delta-writer.ts'
import { salvageBatches } from './delta/salvage-batches.ts'
import { AUDIT_FOLDER, listFiles, TEMPORARY } from './file-names.ts'
import { lockJournal } from './journal-lock.ts'
import { keepBytes, writeWhole } from './keep-bytes.ts'
import { type JournalPlace, loadJournal } from './load-journal.ts'
import { readableText } from './segments/salvage-segment.ts'
import { sealSegment } from './segments/seal-segment.ts'
import { Segment } from './segments/segment.ts'
import { listSegments, type SegmentFile } from './segments/segment-name.ts'
import { snapshotFindings } from './snapshot/snapshot-findings.ts'

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
 * stays, also those after the damage; what is taken out is kept in files beside it. Sealed history is only touched
 * when the ledger cannot be built without it.
 */
export async function repairJournal(folder: string, world: World): Promise<RepairReport> {
  const { disk, timers, logger } = world
  const place: JournalPlace = { disk, folder, timers, logger }
  const lock = await lockJournal(disk, folder, { pid: process.pid, server: null })
  try {
    await lock.told
    const report: Report = { repaired: [], kept: [], lost: [] }
    await setSnapshotsAside(place, report)
    const aside = [...report.kept]
    try {
      return await repairRest(place, world, report)
    } catch (error) {
      // Part of a ledger can be read with them, and nothing without.
      for (const path of aside) await disk.rename(path, path.slice(0, -DAMAGED.length))
      await disk.syncFolder(folder)
      throw error
    }
  } finally {
    await lock.release()
  }
}

/** What is wrong with the other files. */
async function repairRest(place: JournalPlace, world: World, report: Report): Promise<RepairReport> {
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const { damage, image } = await loadJournal(place)
    await image.retire()
    if (damage === null) return report
    await repairFile(place, damage, world.clock.now(), report)
  }
  throw new Error('a repair comes to an end')
}

const DAMAGED = '.damaged'

type Report = { -readonly [F in keyof RepairReport]: RepairReport[F][number][] }

/** A snapshot that is bad is not needed: the one before it and the history say the same. */
async function setSnapshotsAside({ disk, folder }: JournalPlace, report: Report): Promise<void> {
  const { snapshots } = await listFiles(disk, folder)
  for (const { path } of snapshots) {
    const [finding] = await snapshotFindings(disk, path)
    if (finding === undefined) continue
    await disk.rename(path, path + DAMAGED)
    await disk.syncFolder(folder)
    report.kept.push(path + DAMAGED)
    report.repaired.push({ where: path, what: `${finding.what}; it was set aside` })
  }
}

async function repairFile(
  place: JournalPlace,
  damage: LedgerDamaged,
  now: number,
  report: Report,
): Promise<void> {
  const { file } = damage.place
  const segments = await listSegments(place.disk, `${place.folder}/${AUDIT_FOLDER}`)
  const segment = segments.find(({ path }) => path === file)
  if (segment !== undefined) await repairSegment(place, segment, segments, now, report)
  else await repairDelta(place, damage, now, report)
  report.repaired.push({ where: damage.message, what: 'everything else of the file stays' })
}

async function repairDelta(
  place: JournalPlace,
  damage: LedgerDamaged,
  now: number,
  report: Report,
): Promise<void> {
  const { disk, folder } = place
  const { deltas } = await listFiles(disk, folder)
  const index = deltas.findIndex(({ path }) => path === damage.place.file)
  const delta = deltas[index]
  // A file that is missing: there is nothing here to save it from.
  if (delta === undefined || /are missing before it/.test(damage.what)) throw damage
  const bytes = await readWhole(place, delta.path)
  const { lines, lost } = salvageBatches(bytes, {
    firstSeq: delta.seq,
    dropAt: damage.contradicts ? damage.place.byte : null,
    until: deltas[index + 1]?.seq ?? null,
    timestamp: toEpochSeconds(now),
  })
  report.kept.push(await keepBytes(disk, folder, { start: basename(delta.path), ending: DAMAGED, bytes }))
  report.lost.push(...lost)
  const header = Buffer.from(headerLine(delta.seq, toIso(now)))
  await writeWhole(disk, delta.path + TEMPORARY, Buffer.concat([header, lines]))
  await disk.rename(delta.path + TEMPORARY, delta.path)
  await disk.syncFolder(folder)
}

/** Seals again what can be read of a segment. The one after it will say that it was another one, which is true. */
async function repairSegment(
  place: JournalPlace,
  { path, name, firstSeq, lastSeq }: SegmentFile,
  segments: readonly SegmentFile[],
  now: number,
  report: Report,
): Promise<void> {
  const { disk } = place
  const folder = `${place.folder}/${AUDIT_FOLDER}`
  const bytes = await readWhole(place, path)
  const { lines, lost } = salvageBatches(readableText(bytes), {
    firstSeq,
    dropAt: null,
    until: lastSeq + 1,
    timestamp: toEpochSeconds(now),
  })
  report.kept.push(await keepBytes(disk, folder, { start: name, ending: DAMAGED, bytes }))
  report.lost.push(...lost)
  const before = segments.find((one) => one.lastSeq === firstSeq - 1)
  const previous = before === undefined ? null : await new Segment(disk, before).link().catch(() => null)
  const texts = lines.toString('utf8').split('\n').slice(0, -1)
  await sealSegment(disk, { folder, firstSeq, lastSeq, lines: texts, previous })
}

async function readWhole({ disk }: JournalPlace, path: string): Promise<Buffer> {
  const file = await disk.openToRead(path)
  if (file === null) throw new LedgerDamaged({ file: path, byte: 0 }, 'the file is gone')
  try {
    return Buffer.from(await file.read(0, await file.size()))
  } finally {
    await file.close()
  }
}
