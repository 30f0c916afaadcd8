import type { LedgerDamaged } from '../../errors/journal-errors.ts'
import type { DeltaLog } from './delta/delta-log.ts'
import { fallBackFrom } from './fall-back.ts'
import { AUDIT_FOLDER } from './file-names.ts'
import type { Image } from './image.ts'
import type { JournalPlace, LoadedJournal } from './load-journal.ts'
import type { HistorySource } from './segments/history.ts'
import type { Segment } from './segments/segment.ts'
import { openSegments } from './segments/segment-chain.ts'

/** A ledger's folder that is open: what it says, and the files that say it. */
export class OpenJournal {
  readonly place: JournalPlace
  readonly image: Image
  readonly damage: LedgerDamaged | null
  auditRecords: number
  segments: readonly Segment[]
  deltas: readonly DeltaLog[]
  /** Snapshots that turned out to be damaged, and are left alone. */
  damagedSnapshots: readonly string[]

  /** Places of the log before the first that is still there. */
  get removedRecords(): number {
    const first = this.segments[0]?.firstSeq ?? this.deltas[0]?.firstSeq ?? 1
    return first - 1
  }

  private constructor(
    place: JournalPlace,
    loaded: LoadedJournal,
    segments: readonly Segment[],
    damagedSnapshots: readonly string[],
  ) {
    this.place = place
    this.image = loaded.image
    this.damage = loaded.damage
    this.auditRecords = loaded.auditRecords
    this.deltas = unsealed(loaded.deltas, segments)
    this.segments = segments
    this.damagedSnapshots = damagedSnapshots
    this.image.replaceDamaged = fallBackFrom(this)
  }

  static async of(
    place: JournalPlace,
    loaded: LoadedJournal,
    damagedSnapshots: readonly string[] = [],
  ): Promise<OpenJournal> {
    const segments = await openSegments(place.disk, `${place.folder}/${AUDIT_FOLDER}`)
    return new OpenJournal(place, loaded, segments, damagedSnapshots)
  }

  /** Deltas have been sealed: their segments count from now on. */
  async sealed(): Promise<void> {
    this.segments = await openSegments(this.place.disk, `${this.place.folder}/${AUDIT_FOLDER}`)
    this.deltas = unsealed(this.deltas, this.segments)
  }

  /** The whole history, oldest first. */
  get history(): readonly HistorySource[] {
    return [...this.segments, ...this.deltas]
  }

  /** The last seq that is durable. */
  get lastSeq(): number {
    return this.deltas.at(-1)?.lastSeq ?? this.segments.at(-1)?.lastSeq ?? 0
  }

  /** How much was written since the last snapshot. */
  get deltaBytes(): number {
    return this.deltas.reduce((sum, { end }) => sum + end, 0)
  }
}

/** A delta may be sealed and not yet removed. */
function unsealed(deltas: readonly DeltaLog[], segments: readonly Segment[]): readonly DeltaLog[] {
  const sealed = segments.at(-1)?.lastSeq ?? 0
  return deltas.filter(({ firstSeq }) => firstSeq > sealed)
}
