import { heapBytes } from '../../world/heap.ts'
import { heldPause } from '../../world/pause.ts'
import type { Timers } from '../../world/timers.ts'
import type { GroupCommit } from './group-commit.ts'
import type { OpenJournal } from './open-journal.ts'

/** What is written since the last snapshot is kept in memory as well, and takes a few times as much there. */
const PART_OF_HEAP = 6
/** So many times as much as is enough for a snapshot is much, however large the heap; and less than this never is. */
const MUCH = 16
const LITTLE_BYTES = 16 * 1024 * 1024

/** About as much as goes into a snapshot while it is made, and much less than that. */
const BYTES_PER_MS = 8 * 1024
const FEW_BYTES_PER_MS = 1024
/** Shorter pauses are put together, longer ones taken in parts: whoever has a lease must be able to renew it. */
const LEAST_PAUSE_MS = 10
const LONGEST_PAUSE_MS = 1000

/** So much may be written before a snapshot is made of it. */
export function mostBytes(snapshotAfterBytes: number): number {
  return Math.max(LITTLE_BYTES, Math.min(MUCH * snapshotAfterBytes, heapBytes() / PART_OF_HEAP))
}

/** Whether it is certain, without knowing how large the heap is, that no snapshot is due. */
export function isLittle(bytes: number, snapshotAfterBytes: number): boolean {
  return bytes < Math.min(LITTLE_BYTES, snapshotAfterBytes)
}

type Written = Pick<OpenJournal, 'deltaBytes'>

/**
 * Who writes faster than snapshots are made would run out of memory. So from a point on it goes on only about as fast as they are
 * made, and at twice as much a good deal slower.
 */
export class KeepingUp {
  readonly #journal: Written
  readonly #group: Pick<GroupCommit, 'hold'>
  readonly #timers: Timers
  readonly #most: () => number
  #seen: number
  #owedMs = 0

  constructor(journal: Written, group: Pick<GroupCommit, 'hold'>, timers: Timers, most: () => number) {
    this.#journal = journal
    // What was there before is nobody's to wait for.
    this.#seen = journal.deltaBytes
    this.#group = group
    this.#timers = timers
    this.#most = most
  }

  /** Something became durable. @param isUnderWay whether a snapshot is being made */
  written(isUnderWay: boolean): void {
    const { deltaBytes } = this.#journal
    const bytes = Math.max(0, deltaBytes - this.#seen)
    this.#seen = deltaBytes
    const most = isUnderWay ? this.#most() : Number.POSITIVE_INFINITY
    if (deltaBytes <= most) this.#owedMs = 0
    else this.#pause(bytes / (deltaBytes > 2 * most ? FEW_BYTES_PER_MS : BYTES_PER_MS))
  }

  #pause(ms: number): void {
    this.#owedMs += ms
    if (this.#owedMs < LEAST_PAUSE_MS) return
    const pauseMs = Math.min(LONGEST_PAUSE_MS, this.#owedMs)
    this.#group.hold(heldPause(this.#timers, pauseMs))
    this.#owedMs -= pauseMs
  }
}
