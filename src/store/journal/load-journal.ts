import type { LedgerRecord } from '../../core/aggregate.ts'
import { type AuditEntry, hopsOf } from '../../core/audit.ts'
import { fromEpochSeconds } from '../../core/time.ts'
import { LedgerDamaged, type Place } from '../../errors/journal-errors.ts'
import type { Disk, DiskReader } from '../../world/disk.ts'
import type { Logger } from '../../world/logger.ts'
import type { Timers } from '../../world/timers.ts'
import { changedAt } from '../query.ts'
import { DeltaLog } from './delta/delta-log.ts'
import {
  type DeltaEnd,
  type DeltaPlace,
  type DeltaRest,
  type DeltaStart,
  readBatches,
  readHeader,
  type TornBytes,
  tornBytes,
} from './delta/read-delta.ts'
import { AUDIT_FOLDER, listFiles, type NamedFile } from './file-names.ts'
import { Image } from './image.ts'
import { changedAggregates, entriesOf, type Line, placesOf, type ReadLine } from './lines/line.ts'
import { imageOf, replayLine } from './replay.ts'
import { HistoryMoved } from './segments/history.ts'
import { Segment } from './segments/segment.ts'
import { listSegments, type SegmentFile } from './segments/segment-name.ts'
import { Snapshot } from './snapshot/snapshot.ts'

export interface JournalPlace {
  readonly disk: Disk
  readonly folder: string
  readonly timers: Timers
  readonly logger: Logger
}

/** A batch that a crash cut off, in the newest delta. */
export interface Torn extends TornBytes {
  readonly path: string
}

/** Everything that the files say. */
export interface LoadedJournal {
  readonly image: Image
  readonly nextSeq: number
  /** Epoch milliseconds of the last change. */
  readonly time: number
  readonly auditRecords: number
  /** Oldest first; those that the snapshot has already are not read. */
  readonly deltas: readonly DeltaLog[]
  /** Where the newest delta goes on; null when there is none. */
  readonly end: DeltaEnd | null
  readonly torn: Torn | null
  /** The last line says that its writer ended in good order. */
  readonly isClosed: boolean
  /** Why it can only be read, and only up to there. */
  readonly damage: LedgerDamaged | null
}

export interface LoadOptions {
  /** Only deltas that begin before this seq are read. */
  readonly before?: number
  /** Snapshots that are known to be damaged. */
  readonly without?: readonly string[]
  /** Is given the lines of a delta when that is read, from the first to the last; again when it is read again. */
  readonly beside?: ((delta: NamedFile) => Promise<LineSink>) | undefined
}

/** Somebody who needs the lines as well. */
export interface LineSink {
  /** Resolves when there is room for more; null when there is, as it mostly is: there are millions of lines. */
  add(line: ReadLine): Promise<void> | null
}

/** Reads a ledger's folder: the newest good snapshot, what is open in it, and what happened since. Writes nothing. */
export async function loadJournal(place: JournalPlace, options: LoadOptions = {}): Promise<LoadedJournal> {
  return (await JournalLoader.start(place, options)).loaded
}

/** Files are replaced that often while they are read, at most. */
const MOST_STARTS = 20

/** A file was there a moment ago: its content is somewhere else now. */
class FilesMoved extends Error {}

/** A record that is needed cannot be read from the snapshot. */
class SnapshotDamaged extends Error {
  readonly damage: LedgerDamaged
  /** As far as it came. */
  readonly loader: JournalLoader

  constructor(loader: JournalLoader, options: { readonly cause: LedgerDamaged }) {
    super(options.cause.message, options)
    this.loader = loader
    this.damage = options.cause
  }
}

function warnOf({ logger }: JournalPlace, { code, message, place }: LedgerDamaged): void {
  logger.warn({ code, ...place }, `${message}; using the snapshot before it`)
}

interface Base {
  readonly image: Image
  readonly head: Snapshot['head'] | null
}

/** The newest snapshot that is good; those that are not are said and passed over. */
async function loadBase(place: JournalPlace, snapshots: readonly NamedFile[]): Promise<Base> {
  for (const { path } of snapshots.toReversed()) {
    try {
      const snapshot = await Snapshot.open(place.disk, path)
      // Retired since the folder was listed: a writer is at work, and there is a newer one.
      if (snapshot === null) continue
      return { image: await imageOf(snapshot, place.timers), head: snapshot.head }
    } catch (error) {
      if (!(error instanceof LedgerDamaged)) throw error
      warnOf(place, error)
    }
  }
  return { image: new Image(place.timers), head: null }
}

/** Reads a ledger's folder, and can go on when more has been written to it. */
export class JournalLoader {
  readonly #place: JournalPlace
  readonly #image: Image
  #deltas: readonly DeltaLog[] = []
  #nextSeq: number
  #time: number
  #auditRecords: number
  #end: LoadedJournal['end'] = null
  #torn: Torn | null = null
  #isClosed = false
  /** A repair could not save everything. */
  #hasGap = false
  #damage: LedgerDamaged | null = null

  private constructor(place: JournalPlace, { image, head }: Base) {
    this.#place = place
    this.#image = image
    this.#nextSeq = (head?.seq ?? 0) + 1
    this.#time = fromEpochSeconds(head?.timestamp ?? 0)
    this.#auditRecords = head?.audit_records ?? 0
  }

  /** When a writer replaces files while they are read, it starts again. */
  static async start(place: JournalPlace, options: LoadOptions = {}): Promise<JournalLoader> {
    for (let tries = 1; ; tries++) {
      try {
        return await JournalLoader.#start(place, options)
      } catch (error) {
        if (error instanceof SnapshotDamaged) return JournalLoader.#insteadOf(error, place, options)
        const hasMoved = error instanceof FilesMoved || error instanceof HistoryMoved
        if (!hasMoved || tries === MOST_STARTS) throw error
      }
    }
  }

  /** From an older snapshot; or as far as it came, for reading only, when that would be worse. */
  static async #insteadOf(
    { damage, loader }: SnapshotDamaged,
    place: JournalPlace,
    options: LoadOptions,
  ): Promise<JournalLoader> {
    const without = [...(options.without ?? []), damage.place.file]
    const older = await JournalLoader.start(place, { ...options, without })
    if (older.#damage !== null) {
      await older.#image.retire()
      loader.#damage = damage
      return loader
    }
    await loader.#image.retire()
    warnOf(place, damage)
    return older
  }

  static async #start(place: JournalPlace, options: LoadOptions): Promise<JournalLoader> {
    const { before = Number.POSITIVE_INFINITY, without = [], beside } = options
    const { deltas, snapshots } = await listFiles(place.disk, place.folder)
    const segments = await listSegments(place.disk, `${place.folder}/${AUDIT_FOLDER}`)
    const loader = new JournalLoader(
      place,
      await loadBase(
        place,
        snapshots.filter(({ path }) => !without.includes(path)),
      ),
    )
    await loader.#replay(async () => {
      await loader.#replaySegments(segments)
      // A delta that was sealed and not yet removed has nothing that its segment does not have.
      const sealed = segments.at(-1)?.lastSeq ?? 0
      await loader.#replayDeltas(
        deltas.filter(({ seq }) => seq < before && seq > sealed),
        beside,
      )
      loader.#mustReach(snapshots.filter(({ seq }) => seq < before).at(-1))
    })
    return loader
  }

  get loaded(): LoadedJournal {
    return {
      image: this.#image,
      nextSeq: this.#nextSeq,
      time: this.#time,
      auditRecords: this.#auditRecords,
      deltas: this.#deltas,
      end: this.#end,
      torn: this.#torn,
      isClosed: this.#isClosed,
      damage: this.#damage,
    }
  }

  /** Reads what was written since. False when files that it needs are gone, and it has to start again. */
  async goOn(): Promise<boolean> {
    const { deltas, snapshots } = await listFiles(this.#place.disk, this.#place.folder)
    const { base } = this.#image
    if (base !== null && !snapshots.some(({ path }) => path === base.path)) return false
    const first = this.#end === null ? 0 : deltas.findIndex(({ path }) => path === this.#end?.path)
    if (first === -1) return false
    // What comes before the deltas does not change by being looked at again.
    if (this.#damage !== null && !deltas.some(({ path }) => path === this.#damage?.place.file)) return true
    this.#deltas = this.#deltas.filter((log) => deltas.some(({ path }) => path === log.path))
    this.#torn = null
    this.#damage = null
    try {
      await this.#replay(() => this.#replayDeltas(deltas.slice(first)))
    } catch (error) {
      if (error instanceof FilesMoved || error instanceof SnapshotDamaged) return false
      throw error
    }
    return true
  }

  async #replay(read: () => Promise<void>): Promise<void> {
    try {
      await read()
    } catch (error) {
      if (!(error instanceof LedgerDamaged) || error instanceof HistoryMoved) throw error
      if (error.place.file === this.#image.base?.path) throw new SnapshotDamaged(this, { cause: error })
      this.#damage = error
    }
  }

  async #replayDeltas(deltas: readonly NamedFile[], beside?: LoadOptions['beside']): Promise<void> {
    for (const [index, delta] of deltas.entries()) await this.#replayDelta(delta, deltas[index + 1], beside)
  }

  /** Only when the newest snapshot was not good: what happened after the one before it has been sealed by then. */
  async #replaySegments(segments: readonly SegmentFile[]): Promise<void> {
    for (const { path, firstSeq, lastSeq } of segments) {
      if (lastSeq < this.#nextSeq) continue
      this.#mustFollow(path, firstSeq)
      const segment = await Segment.open(this.#place.disk, path)
      for await (const line of segment.lines()) {
        if (this.#needsMore(line)) await this.#takeIn(line)
        this.#apply(line, entriesOf(line), { file: path, byte: 0 })
      }
    }
  }

  async #replayDelta(
    delta: NamedFile,
    next: NamedFile | undefined,
    beside: LoadOptions['beside'],
  ): Promise<void> {
    const { path, seq } = delta
    const log = this.#logOf(path, seq)
    if (next !== undefined && next.seq <= this.#nextSeq) {
      if (log.lastSeq < next.seq - 1) log.endBefore(next.seq)
      return
    }
    this.#mustFollow(path, seq)
    const file = await this.#place.disk.openToRead(path)
    if (file === null) throw new FilesMoved(path)
    try {
      const { version, ...from } =
        this.#end?.path === path
          ? { ...this.#end.place, version: this.#end.version }
          : await startOf(file, path, seq)
      const rest = await this.#replayBatches(file, log, from, (await beside?.(delta)) ?? null)
      const { at } = rest
      this.#end = { path, place: { at, seq: rest.seq }, lastBatchAt: log.lastBatchAt ?? at, version }
      const torn = await tornBytes(file, path, rest, next === undefined)
      if (torn !== null) this.#torn = { path, ...torn }
    } finally {
      await file.close()
    }
  }

  #logOf(path: string, seq: number): DeltaLog {
    const last = this.#deltas.at(-1)
    if (last?.path === path) return last
    const log = new DeltaLog(this.#place.disk, path, seq)
    this.#deltas = [...this.#deltas, log]
    return log
  }

  async #replayBatches(
    file: DiskReader,
    log: DeltaLog,
    from: DeltaPlace,
    sink: LineSink | null,
  ): Promise<DeltaRest> {
    const batches = readBatches(file, from)
    for (;;) {
      const { value, done } = await batches.next()
      if (done === true) return value
      for (const batch of value) {
        for (const placed of batch.lines) {
          const { line, entries, at } = placed
          if (this.#needsMore(line)) await this.#takeIn(line)
          this.#apply(line, entries, { file: log.path, byte: at })
          const room = sink?.add(placed) ?? null
          if (room !== null) await room
        }
        log.note(batch)
      }
    }
  }

  /** A snapshot that cannot be read still says how far the ledger went. */
  #mustReach(newest: NamedFile | undefined): void {
    if (newest === undefined || newest.seq < this.#nextSeq) return
    const what = `it is damaged, and seqs ${this.#nextSeq} to ${newest.seq} are nowhere else`
    throw new LedgerDamaged({ file: newest.path, byte: 0 }, what)
  }

  #mustFollow(path: string, seq: number): void {
    if (seq <= this.#nextSeq) return
    const what = `seqs ${this.#nextSeq} to ${seq - 1} are missing before it`
    throw new LedgerDamaged({ file: path, line: 1, byte: 0 }, what)
  }

  /** Whether a line may be about something that is not in memory. */
  #needsMore(line: Line): boolean {
    return this.#hasGap || (this.#image.base !== null && ('puts' in line || 'set' in line || 'new' in line))
  }

  /** What a line changes has to be in memory; a document's line says all there is. */
  async #takeIn(line: Line): Promise<void> {
    if (line.seq < this.#nextSeq) return
    if (this.#hasGap) await this.#lookBack(line)
    for (const key of changedAggregates(line)) {
      if (this.#image.live.aggregate(key.kind, key.tenant_id, key.id) !== null) continue
      const found = await this.#image.load(key)
      if (found !== null) this.#image.live.admit(found)
    }
  }

  /** After a gap a line may move a document that nobody made, as far as is known. Then it is this line that makes it. */
  async #lookBack(line: Line): Promise<void> {
    const [entry] = entriesOf(line)
    if (entry?.kind !== 'document') return
    const { tenant_id, id } = entry
    if (this.#image.live.aggregate('document', tenant_id, id) !== null) return
    const key = { kind: 'document', tenant_id, id } as const
    if ((await this.#image.loadRecord(key)) === null) Object.assign(line, { created: true })
  }

  #apply(line: Line, entries: readonly AuditEntry[], place: Place): void {
    if (line.seq < this.#nextSeq) return
    if (line.event === ('repaired' as string)) this.#hasGap = true
    try {
      this.#passTo(line, replayLine(this.#image, line, entries))
    } catch (error) {
      throw LedgerDamaged.by(error, place, `seq ${line.seq} does not follow`, true)
    }
    this.#nextSeq = line.seq + placesOf(line, entries)
    this.#isClosed = line.event === ('closed' as string)
    for (const entry of entries) this.#auditRecords += hopsOf(entry)
  }

  /** Not every change is in the history: of a heartbeat only the records say when it was. */
  #passTo({ timestamp }: Line, puts: readonly LedgerRecord[]): void {
    const times = timestamp === undefined ? puts.map(changedAt) : [fromEpochSeconds(timestamp)]
    this.#time = Math.max(this.#time, ...times)
  }
}

async function startOf(file: DiskReader, path: string, seq: number): Promise<DeltaStart> {
  const start = await readHeader(file, path)
  if (start.seq === seq) return start
  throw new LedgerDamaged({ file: path, line: 1, byte: 0 }, `it begins with seq ${start.seq}`)
}
