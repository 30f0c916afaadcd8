import { idOf, type LedgerRecord } from '../../core/aggregate.ts'
import type { Signal } from '../../core/decision.ts'
import type { RecordKind } from '../../core/machines/all.ts'
import { toEpochSeconds, toIso } from '../../core/time.ts'
import { LedgerDamaged } from '../../errors/journal-errors.ts'
import type { Disk } from '../../world/disk.ts'
import { AUDIT_FOLDER, snapshotName } from './file-names.ts'
import type { Image } from './image.ts'
import { type JournalPlace, type LoadedJournal, loadJournal } from './load-journal.ts'
import { openWork } from './open-work.ts'
import type { Facts } from './replay.ts'
import { DeltaSealer } from './seal-deltas.ts'
import type { SegmentLink } from './segments/layout.ts'
import { Segment } from './segments/segment.ts'
import { listSegments } from './segments/segment-name.ts'
import type { OnProgress } from './snapshot/progress.ts'
import type { SnapshotFacts } from './snapshot/snapshot-index.ts'
import type { Found, TableName, ValueOf } from './snapshot/tables.ts'
import { type WrittenSnapshot, writeSnapshot } from './snapshot/write-snapshot.ts'

export interface CompactionJob {
  /** Everything up to this seq goes into the snapshot; the deltas with it are no longer written to. */
  readonly upTo: number
  /** Epoch milliseconds. */
  readonly now: number
  /** Snapshots that are known to be damaged. */
  readonly without: readonly string[]
}

export interface Compacted {
  readonly snapshot: string
  readonly seq: number
  readonly bytes: number
}

/**
 * Makes a snapshot of everything up to a seq, and seals the deltas that led there. It works from the files alone, so
 * that another thread can do it while the ledger is written to; and it removes nothing, so that it can be cut off
 * at any point and be done again.
 */
export async function compact(
  place: JournalPlace,
  { upTo, now, without }: CompactionJob,
  onProgress?: OnProgress,
): Promise<Compacted> {
  const { disk, folder } = place
  await using sealer = await DeltaSealer.on(place)
  const loaded = await loadJournal(place, {
    before: upTo + 1,
    without,
    beside: (delta) => sealer.begin(delta.path, delta.seq),
  })
  if (loaded.damage !== null) throw loaded.damage
  if (loaded.nextSeq !== upTo + 1) {
    throw new LedgerDamaged({ file: folder, byte: 0 }, `it ends with seq ${loaded.nextSeq - 1}, not ${upTo}`)
  }
  const path = `${folder}/${snapshotName(toIso(now), upTo)}`
  const newest = await newestSegment(place)
  const facts = factsOf(loaded, now, newest)
  const { bytes } = await write(disk, path, loaded, facts, onProgress).finally(() => loaded.image.retire())
  await sealer.seal(loaded.deltas, newest)
  return { snapshot: path, seq: upTo, bytes }
}

async function write(
  disk: Disk,
  path: string,
  loaded: LoadedJournal,
  facts: SnapshotFacts,
  onProgress: OnProgress | undefined,
): Promise<WrittenSnapshot> {
  const { base } = loaded.image
  try {
    return await writeSnapshot({
      disk,
      path,
      base,
      facts,
      onProgress,
      records: recordsOf(loaded.image),
      work: openWork(loaded.image.live, base?.work ?? null, loaded.time),
    })
  } catch (error) {
    // Blocks are copied as they are: damage in the new snapshot may come from the old one, and then that is to say.
    const [finding] = (error instanceof LedgerDamaged && (await base?.verifyBlocks())) || []
    if (base === null || finding === undefined) throw error
    throw LedgerDamaged.by(error, { file: base.path, byte: 0 }, `${finding.where}: ${finding.what}`)
  }
}

function factsOf(
  { image, nextSeq, time, auditRecords }: LoadedJournal,
  now: number,
  newest: SegmentLink | null,
): SnapshotFacts {
  const { live } = image
  const facts: Facts = {
    counts: [...live.counts.entries()],
    signals: awaitedSignals(image),
  }
  return {
    seq: nextSeq - 1,
    timestamp: toEpochSeconds(time),
    created_at: toIso(now),
    audit_records: auditRecords,
    document_count: live.counts.totals().document,
    // So that the newest segment cannot be exchanged unnoticed, which no other segment names.
    newest_segment: newest === null ? null : { name: newest.name, sha256: newest.sha256 },
    ...(facts as unknown as JsonFacts),
  }
}

type JsonFacts = Pick<SnapshotFacts, keyof Facts>

/** Signals that somebody still waits for, each once: whoever is told again looks again, and no harm is done. */
function awaitedSignals({ live }: Image): readonly Signal[] {
  const signals = new Map<string, Signal>()
  for (const signal of live.signals.all()) {
    if (live.work.isAwaited(signal.tenant_id, signal.topic)) {
      signals.set(`${signal.tenant_id}\n${signal.topic}`, signal)
    }
  }
  return [...signals.values()]
}

/** What changed since the last snapshot, and whatever else is in memory only. */
function recordsOf({ live, refusals, base }: Image): { readonly [T in TableName]: Iterable<Found<T>> } {
  const since = base?.head.seq ?? 0
  const changed = <T extends TableName>(kind: RecordKind) =>
    live
      .records(kind)
      .filter(({ etag }) => Number(etag) > since)
      .map((record) => foundOf<T>(record))
  return {
    states: changed<'states'>('document'),
    jobs: changed<'jobs'>('job'),
    steps: changed<'steps'>('step'),
    outbox: changed<'outbox'>('outbox'),
    runs: changed<'runs'>('run'),
    workstreams: changed<'workstreams'>('workstream'),
    queues: changed<'queues'>('queue'),
    schedules: changed<'schedules'>('schedule'),
    tokens: changed<'tokens'>('token'),
    claims: foundIn<'claims'>(live.devices.claims.entries()),
    refusals: foundIn<'refusals'>(refusals.entries()),
  }
}

function foundOf<T extends TableName>(record: LedgerRecord): Found<T> {
  const value = record as ValueOf[TableName] as ValueOf[T]
  return { tenant_id: record.tenant_id, id: idOf(record), value }
}

function* foundIn<T extends 'claims' | 'refusals'>(
  entries: Iterable<readonly [tenant_id: string, id: string, value: ValueOf[T]]>,
): Generator<Found<T>> {
  for (const [tenant_id, id, value] of entries) yield { tenant_id, id, value }
}

/** Null as well when it is damaged, which `check` will say: history that cannot be read is no reason to stop. */
async function newestSegment({ disk, folder, logger }: JournalPlace): Promise<SegmentLink | null> {
  const newest = (await listSegments(disk, `${folder}/${AUDIT_FOLDER}`)).at(-1)
  if (newest === undefined) return null
  try {
    return await new Segment(disk, newest).link()
  } catch (error) {
    if (!(error instanceof LedgerDamaged)) throw error
    logger.error({ code: error.code, ...error.place }, error.message)
    return null
  }
}
