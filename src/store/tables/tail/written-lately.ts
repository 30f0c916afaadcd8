import type { AggregateKind, RecordKey } from '../../../core/aggregate.ts'
import { TwoKeys } from '../../live/two-keys.ts'
import type { StoredCell } from '../cell.ts'
import { FirstOut } from '../first-out.ts'
import { Conflict } from '../tables.ts'

/** An aggregate as somebody wrote it lately. */
export interface Lately {
  readonly version: number
  /** Which of the writes that are known of it was. */
  readonly nth: number
  /** The last place in the log of that write: as long as it is in the tail, this is what there is. */
  readonly seq: number
  /** Null when only the version is known. */
  cell: StoredCell | null
}

/** So many are kept as they are; of others only the versions are. */
const MOST_CELLS = 20_000

/** More than these are dropped when what came before them is where it is found. */
const MOST_YOUNG = 10_000

/** Aggregates that were written lately: what is in the tail, and what somebody may have looked at before it was written. */
export class WrittenLately {
  #young = new Map<AggregateKind, TwoKeys<Lately>>()
  #old = new Map<AggregateKind, TwoKeys<Lately>>()
  #youngCount = 0
  readonly #cells = new FirstOut<Lately>()
  /** The last place of the log that something old was written at, and the last write that anything was dropped of. */
  #oldSeq = 0
  #oldNth = 0
  #dropped = 0
  #lastSeq = 0
  #lastNth = 0

  get(kind: AggregateKind, tenant_id: string, id: string): Lately | undefined {
    return this.#young.get(kind)?.get(tenant_id, id) ?? this.#old.get(kind)?.get(tenant_id, id)
  }

  add({ kind, tenant_id, id }: RecordKey, lately: Lately): void {
    let ofKind = this.#young.get(kind)
    if (ofKind === undefined) {
      ofKind = new TwoKeys()
      this.#young.set(kind, ofKind)
    }
    ofKind.set(tenant_id, id, lately)
    if (lately.cell !== null) this.#keep(lately)
    this.#youngCount++
    this.#lastSeq = Math.max(this.#lastSeq, lately.seq)
    this.#lastNth = lately.nth
  }

  #keep(lately: Lately): void {
    this.#cells.push(lately)
    const oldest = this.#cells.size > MOST_CELLS ? this.#cells.shift() : undefined
    if (oldest !== undefined) oldest.cell = null
  }

  /** Whoever began to look after so many writes has seen all that nothing is known of here any more. */
  mustReach(nth: number): void {
    if (nth < this.#dropped)
      throw new Conflict('it was read so long ago that nobody knows what was written since')
  }

  /** Up to there everything is where it is found. */
  folded(seq: number): void {
    if (this.#youngCount < MOST_YOUNG || seq < this.#oldSeq) return
    this.#dropped = this.#oldNth
    this.#old = this.#young
    this.#young = new Map()
    this.#youngCount = 0
    this.#oldSeq = this.#lastSeq
    this.#oldNth = this.#lastNth
  }
}
