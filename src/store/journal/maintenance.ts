import { present } from '../../core/must.ts'
import { LedgerClosed } from '../../errors/input-errors.ts'
import { DiskFull, LedgerDamaged } from '../../errors/journal-errors.ts'
import type { Timer } from '../../world/timers.ts'
import type { World } from '../../world/world.ts'
import type { OnProgress, ProgressOptions } from '../progress.ts'
import type { MaintenanceReport, SnapshotReport } from '../store.ts'
import type { Compacted } from './compaction.ts'
import { compactorFor } from './compactor.ts'
import type { Decider } from './decider.ts'
import { DeltaLog } from './delta/delta-log.ts'
import { DeltaWriter } from './delta/delta-writer.ts'
import { listFiles } from './file-names.ts'
import type { GroupCommit } from './group-commit.ts'
import type { CheckedOptions } from './journal-options.ts'
import { isLittle, KeepingUp, mostBytes } from './keeping-up.ts'
import type { OpenJournal } from './open-journal.ts'
import { retireSegments } from './segments/segment-chain.ts'
import { Snapshot } from './snapshot/snapshot.ts'
import { removeSpentDeltas } from './spent-deltas.ts'

/** Of what is enough while it is in use: a mebibyte, unless told otherwise. */
const PART_THAT_IS_ENOUGH_TO_CLOSE = 64

/** Who writes less than this in a second or two has a processor to spare for a snapshot. */
const LITTLE_BYTES = 4 * 1024 * 1024
const A_WHILE_MS = 1000

/** Whoever writes all the time has one made all the same, when there is so many times as much as is enough. */
const AT_LATEST = 4

interface WrittenAt {
  readonly at: number
  readonly end: number
}

/** How long closing may take for it. */
const LONGEST_CLOSING_MS = 10_000

/**
 * Keeps the files in shape: starts a new delta, has a snapshot made of everything before it while writing goes on,
 * and then lets go of what is no longer needed. By itself on schedule and when much was written; and when asked to.
 */
export class Maintenance {
  readonly #journal: OpenJournal
  readonly #group: GroupCommit
  readonly #decider: Decider
  readonly #world: World
  readonly #options: CheckedOptions
  readonly #oldestOpen: () => Promise<number>
  /** More is not written before a snapshot is made of it. */
  readonly #most: () => number
  readonly #keepingUp: KeepingUp
  #running: Promise<unknown> | null = null
  #timer: Timer | null = null
  /** Looks whether little is being written by now. */
  #quiet: Timer | null = null
  /** Where the delta ended a while ago, and a while before that. */
  #ago: WrittenAt = { at: 0, end: 0 }
  #before: WrittenAt = { at: 0, end: 0 }
  readonly #end = new AbortController()

  constructor(
    journal: OpenJournal,
    group: GroupCommit,
    decider: Decider,
    world: World,
    options: CheckedOptions,
    oldestOpen: () => Promise<number>,
  ) {
    this.#oldestOpen = oldestOpen
    this.#journal = journal
    this.#group = group
    this.#decider = decider
    this.#world = world
    this.#options = options
    this.#most = () => mostBytes(options.snapshotAfterBytes)
    this.#keepingUp = new KeepingUp(journal, group, world.timers, this.#most)
  }

  /** From now on by itself. */
  start(): void {
    const here = { at: this.#decider.time(), end: this.#group.writer.end }
    this.#ago = here
    this.#before = here
    const { base } = this.#journal.image
    const { schedule } = this.#options
    const missed = base === null ? null : schedule?.(Date.parse(base.head.created_at))
    const isMissed = missed != null && missed <= this.#decider.time()
    // The one before may have been cut off, and everybody who opens the ledger reads all that again.
    if (isMissed || this.#journal.deltaBytes >= this.#options.snapshotAfterBytes) this.#runByItself()
    this.#schedule()
  }

  /** Something became durable. */
  written(): void {
    this.#snapshotWhenDue()
    this.#keepingUp.written(this.#running !== null)
  }

  #snapshotWhenDue(): void {
    const { end } = this.#group.writer
    const isBusy = this.#isBusy(end)
    const { snapshotAfterBytes } = this.#options
    if (this.#running !== null || isLittle(end, snapshotAfterBytes)) return
    const most = this.#most()
    const enough = Math.min(snapshotAfterBytes, most)
    if (end < enough) return
    if (!isBusy || end >= Math.min(AT_LATEST * enough, most / 2)) this.#runByItself()
    else this.#quiet ??= this.#world.timers.after(A_WHILE_MS, () => this.#lookAgain())
  }

  #lookAgain(): void {
    this.#quiet = null
    this.written()
  }

  /** Whether much was written lately. */
  #isBusy(end: number): boolean {
    const at = this.#decider.time()
    if (at - this.#ago.at >= A_WHILE_MS) {
      this.#before = this.#ago
      this.#ago = { at, end }
    }
    // A new delta begins at its beginning.
    if (end < this.#before.end) this.#before = this.#ago
    return end - this.#before.end >= LITTLE_BYTES
  }

  /** Another one when one is under way: it may have begun before what the caller wants in it. */
  run({ onProgress = () => {} }: ProgressOptions = {}): Promise<MaintenanceReport> {
    return this.inTurn(() => this.#maintain(onProgress, this.#end.signal)).catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
      throw new DiskFull(this.#journal.place.folder, error)
    })
  }

  /** One after the other: what is done in its turn sees no file come or go. */
  async inTurn<T>(work: () => Promise<T>): Promise<T> {
    while (this.#running !== null) await this.#running.catch(() => {})
    if (this.#end.signal.aborted) throw new LedgerClosed()
    const running = work().finally(() => {
      this.#running = null
    })
    this.#running = running
    return running
  }

  async stop(): Promise<void> {
    this.#end.abort()
    this.#timer?.cancel()
    this.#quiet?.cancel()
    await this.#running?.catch(() => {})
  }

  /**
   * After it was stopped, and before it is closed in good order: whoever opens it next need not read again what was written.
   * Far less is enough for that than while it is in use, when nobody waits for it. Nobody waits for it longer than a while,
   * either: when it takes too long, or fails, the next one to open the ledger has more to read.
   */
  async finish(): Promise<void> {
    const { deltaBytes } = this.#journal
    if (deltaBytes < this.#options.snapshotAfterBytes / PART_THAT_IS_ENOUGH_TO_CLOSE) return
    const late = new AbortController()
    const timer = this.#world.timers.after(LONGEST_CLOSING_MS, () => late.abort())
    try {
      await this.#maintain(() => {}, late.signal)
    } catch (error) {
      if (!late.signal.aborted) this.#tell(error)
    } finally {
      timer.cancel()
    }
  }

  #runByItself(): void {
    if (this.#end.signal.aborted) return
    this.run().catch((error: unknown) => {
      // One that is broken off by closing is made another time.
      if (!this.#end.signal.aborted) this.#tell(error)
    })
  }

  #tell(error: unknown): void {
    const { code, message } = error as NodeJS.ErrnoException
    this.#world.logger.error(
      { code, folder: this.#journal.place.folder },
      `No snapshot could be made: ${message}`,
    )
  }

  #schedule(): void {
    const now = this.#decider.time()
    const next = this.#options.schedule?.(now)
    if (next == null) return
    this.#timer = this.#world.timers.after(next - now, () => {
      // A timer cannot be set far ahead, and then comes early.
      if (this.#decider.time() >= next) this.#runByItself()
      this.#schedule()
    })
  }

  async #maintain(onProgress: OnProgress, ending: AbortSignal): Promise<MaintenanceReport> {
    const upTo = await this.#startDelta()
    const compacted = upTo > (this.#journal.image.base?.head.seq ?? 0)
    if (compacted) await this.#switchTo(await this.#compact(upTo, onProgress, ending))
    return { compacted, removed_audit_records: await this.#retire(), snapshot: this.#newest() }
  }

  #newest(): SnapshotReport | null {
    const { base } = this.#journal.image
    if (base === null) return null
    const { seq, created_at, document_count } = base.head
    return { path: base.path, seq, created_at, document_count, bytes: base.bytes }
  }

  async #compact(upTo: number, onProgress: OnProgress, ending: AbortSignal): Promise<Compacted> {
    const { place, image } = this.#journal
    const compact = compactorFor(place)
    for (;;) {
      const { base } = image
      const job = { upTo, now: this.#decider.time(), without: this.#journal.damagedSnapshots }
      try {
        return await compact(place, job, (done) => onProgress({ what: 'snapshot', ...done }), ending)
      } catch (error) {
        const isBase = error instanceof LedgerDamaged && base !== null && error.place.file === base.path
        if (!isBase) throw error
        await image.replaceDamaged?.(base, error)
      }
    }
  }

  /** Answers the last seq of the deltas that are no longer written to. */
  #startDelta(): Promise<number> {
    const { disk, folder } = this.#journal.place
    return this.#group.between(async (writer) => {
      const last = this.#journal.deltas.at(-1) as DeltaLog
      if (last.lastSeq < last.firstSeq) return last.lastSeq
      await writer.finish()
      const first = last.lastSeq + 1
      const { writer: next, place } = await DeltaWriter.prepare(disk, folder, first, this.#decider.time())
      // If it fails now there may be two deltas to go on with, and only one of them would be read.
      await place().catch((error: unknown) => {
        throw this.#group.poison(error)
      })
      this.#journal.deltas = [...this.#journal.deltas, new DeltaLog(disk, next.path, first)]
      this.#group.switchTo(next)
      // What was decided and not written yet goes into the new delta, and must not be forgotten with the old one.
      this.#journal.image.seal(this.#group.nextSeq - 1)
      await writer.close()
      return last.lastSeq
    })
  }

  async #switchTo({ snapshot }: Compacted): Promise<void> {
    const { disk } = this.#journal.place
    const base = present(await Snapshot.open(disk, snapshot), 'the snapshot that was just made')
    await this.#journal.sealed()
    await this.#journal.image.rebase(base)
  }

  /**
   * Deltas go when they are sealed, also those that an earlier run left; old snapshots go by number, old history by age,
   * but never history that a snapshot would need, nor that of a job that is open.
   */
  async #retire(): Promise<number> {
    const { disk, folder } = this.#journal.place
    await removeSpentDeltas(this.#journal.place)
    const { snapshots } = await listFiles(disk, folder)
    const kept = snapshots.slice(-this.#options.keepSnapshots)
    for (const { path } of snapshots.slice(0, -this.#options.keepSnapshots)) await disk.remove(path)
    // From here on the history goes. Neither a delta nor a snapshot may come back after that.
    await disk.syncFolder(folder)
    // Nothing to do is the usual case, and then nobody has to look at all the jobs.
    if (this.#journal.segments.length === 0 || this.#options.keepHistoryMs === Number.POSITIVE_INFINITY)
      return 0
    const { audit_records, segments } = await retireSegments(this.#journal.segments, {
      beforeTime: Math.min(this.#decider.time() - this.#options.keepHistoryMs, await this.#oldestOpen()),
      keepFromSeq: (kept[0]?.seq ?? 0) + 1,
    })
    this.#journal.segments = this.#journal.segments.filter((segment) => !segments.includes(segment))
    return audit_records
  }
}
