import { idOf, type LedgerRecord } from '../../core/aggregate.ts'
import { machines, type RecordKind } from '../../core/machines/all.ts'
import type { Capabilities } from '../capabilities.ts'
import { checkRecords, nameOf } from '../check-records.ts'
import type { OnProgress, ProgressOptions } from '../progress.ts'
import { LARGEST_PAGE } from '../query.ts'
import type { Finding } from '../store.ts'
import { AUDIT_FOLDER, listFiles } from './file-names.ts'
import { type Current, findEverywhere, recordsAfter } from './journal-reads.ts'
import { HistoryMoved } from './segments/history.ts'
import type { SegmentLink } from './segments/layout.ts'
import type { Segment } from './segments/segment.ts'
import { verifySegments } from './segments/segment-chain.ts'
import { snapshotFindings } from './snapshot/snapshot-findings.ts'

/** Looks for damage in every file, and for records that say something else than their history. */
export async function checkJournal(
  current: Current,
  capabilities: Capabilities,
  { onProgress = () => {} }: ProgressOptions = {},
): Promise<readonly Finding[]> {
  const damages = await damagesOf(current, onProgress)
  if (damages.length === 0) damages.push(...(await exchangedSegment(current)))
  // Where bytes are wrong, what they say is no news.
  if (damages.length > 0) return damages.map(({ where, what }) => ({ where, what, damage: true }))
  const countsNow = () => current.journal.image.live.counts
  const total = Object.values(countsNow().totals()).reduce((sum, n) => sum + n, 0)
  let done = 0
  async function* countedRecords(records: AsyncIterable<LedgerRecord>): AsyncGenerator<LedgerRecord> {
    for await (const record of records) {
      if (++done % LARGEST_PAGE === 0 || done === total) onProgress({ what: 'records', done, total })
      yield record
    }
  }
  // Somebody else may retire a part of it meanwhile.
  const isWhole = () => (current.journal.history[0]?.firstSeq ?? 1) === 1
  const inMemory = await namesInMemory(current)
  return checkRecords({
    records: (kind) => countedRecords(allRecords(current, kind, capabilities)),
    counts: (kind) => countsNow().read(kind),
    history: (after) => recordsAfter(current, after),
    lastSeq: () => current.journal.lastSeq,
    isCompared: (kind, tenant_id, id) => isWhole() && inMemory.has(nameOf(kind, tenant_id, id)),
  })
}

/** Before the history is read: what comes into memory later may have a past that nobody looked at. */
async function namesInMemory({ journal }: Current): Promise<ReadonlySet<string>> {
  const { image, place } = journal
  const names = new Set<string>()
  for (const kind of Object.keys(machines) as RecordKind[]) {
    for (const record of image.live.records(kind)) {
      names.add(nameOf(kind, record.tenant_id, idOf(record)))
      if (names.size % LARGEST_PAGE === 0) await place.timers.turn()
    }
  }
  return names
}

/** Every byte of every file: also of snapshots that are not in use, which are there for when the newest is damaged. */
async function damagesOf({ journal }: Current, onProgress: OnProgress): Promise<Finding[]> {
  const { place, damage } = journal
  const { disk, folder } = place
  const findings: Finding[] = []
  if (damage !== null) findings.push({ where: damage.place.file, what: damage.message })
  const { snapshots } = await listFiles(disk, folder)
  for (const [i, { path }] of snapshots.entries()) {
    const what = snapshots.length === 1 ? 'snapshot' : `snapshot ${i + 1} of ${snapshots.length}`
    findings.push(...(await snapshotFindings(disk, path, (done) => onProgress({ what, ...done }))))
  }
  const broken = await verifySegments(disk, `${folder}/${AUDIT_FOLDER}`, ({ doneBytes, totalBytes }) =>
    onProgress({ what: 'history', done: doneBytes, total: totalBytes }),
  )
  return [...findings, ...broken]
}

/** Every segment is named by the next one; the newest that a snapshot knew of is named by the snapshot. */
async function exchangedSegment({ journal }: Current): Promise<readonly Finding[]> {
  const named = journal.image.base?.head.newest_segment as SegmentLink | null | undefined
  const segment = journal.segments.find(({ file }) => file.name === named?.name)
  if (named == null || segment === undefined) return []
  const sha256 = await checksumOf(segment)
  if (sha256 === null || sha256 === named.sha256) return []
  const what = `its checksum is ${sha256}; it was ${named.sha256} when the snapshot was made`
  return [{ where: segment.file.path, what }]
}

/** Null when it was retired a moment ago. */
async function checksumOf(segment: Segment): Promise<string | null> {
  try {
    return (await segment.link()).sha256
  } catch (error) {
    if (error instanceof HistoryMoved) return null
    throw error
  }
}

async function* allRecords(
  current: Current,
  kind: RecordKind,
  capabilities: Capabilities,
): AsyncGenerator<LedgerRecord> {
  for (let after: string | null | undefined; after !== null; ) {
    const page = await findEverywhere(current, { kind, after, limit: LARGEST_PAGE }, capabilities)
    yield* page.items
    after = page.next
  }
}
