import type { AuditRecord } from '../../core/audit.ts'
import { countWhile } from '../../store/count-while.ts'
import type { Cursor } from '../../store/query.ts'
import { type Frame, frameOf, type Place, placeOf } from './frame.ts'
import type { Selection } from './selection.ts'

export interface RingSize {
  readonly mostFrames: number
  readonly mostBytes: number
}

/** Several frames that are written at once. */
export interface Batch {
  /** Null when none of them is for this client. */
  readonly bytes: Buffer | null
  readonly frames: number
  /** Everything up to here was looked at. */
  readonly place: Place
}

/** As much as a connection takes without being told to wait, about: more would only lie in memory. */
export const BATCH_BYTES = 64 * 1024

/** Clients that are shown the same mostly stand at the same place. */
const MOST_SHARED = 64

/**
 * The last part of the log, as frames that all clients share. It has everything after its floor, so whoever has seen as
 * much as that goes on from here, and whoever has seen less has to read the log.
 */
export class FrameRing {
  readonly #size: RingSize
  #floor: Place
  /** Those before `#first` are gone. */
  #frames: Frame[] = []
  #first = 0
  #bytes = 0
  readonly #shared = new Map<string, Batch>()

  constructor(floor: Place, size: RingSize) {
    this.#floor = placeOf(floor)
    this.#size = size
  }

  /** The last place that is known. */
  get end(): Place {
    return placeOf(this.#frames.at(-1) ?? this.#floor)
  }

  /** Whether it has all that comes after a place. */
  covers({ seq }: Place): boolean {
    return seq >= this.#floor.seq
  }

  /** The place of a cursor, if it is here. */
  placeOf(cursor: Cursor): Place | undefined {
    for (let i = this.#frames.length - 1; i >= this.#first; i--) {
      const frame = this.#frames[i] as Frame
      if (frame.cursor === cursor) return placeOf(frame)
    }
    return cursor === this.#floor.cursor ? this.#floor : undefined
  }

  push(record: AuditRecord): void {
    const frame = frameOf(record)
    this.#frames.push(frame)
    this.#bytes += frame.bytes.length
    this.#shared.clear()
    const { mostFrames, mostBytes } = this.#size
    while (this.#frames.length - this.#first > mostFrames || this.#bytes > mostBytes) this.#dropFirst()
  }

  /** What comes next for somebody at a place that it covers; null when nothing does. */
  batchAfter({ seq }: Place, selection: Selection): Batch | null {
    if (seq >= this.end.seq) return null
    const key = `${seq} ${selection.key}`
    const known = this.#shared.get(key)
    if (known !== undefined) return known
    const batch = this.#gather(this.#indexAfter(seq), selection)
    if (this.#shared.size < MOST_SHARED) this.#shared.set(key, batch)
    return batch
  }

  #gather(from: number, selection: Selection): Batch {
    const found: Buffer[] = []
    let bytes = 0
    let i = from
    for (; i < this.#frames.length; i++) {
      const frame = this.#frames[i] as Frame
      if (!selection.matches(frame.record)) continue
      if (found.length > 0 && bytes + frame.bytes.length > BATCH_BYTES) break
      found.push(frame.bytes)
      bytes += frame.bytes.length
    }
    return {
      bytes: found.length > 1 ? Buffer.concat(found, bytes) : (found[0] ?? null),
      frames: found.length,
      place: placeOf(this.#frames[i - 1] as Frame),
    }
  }

  #dropFirst(): void {
    const frame = this.#frames[this.#first++] as Frame
    this.#floor = placeOf(frame)
    this.#bytes -= frame.bytes.length
    // Seldom enough to cost nothing, often enough to keep little.
    if (this.#first * 2 < this.#frames.length) return
    this.#frames = this.#frames.slice(this.#first)
    this.#first = 0
  }

  #indexAfter(seq: number): number {
    return countWhile(this.#frames, (frame, index) => index < this.#first || frame.seq <= seq)
  }
}
