import type { Birth } from '../../../core/job/birth.ts'
import type { CountEntry } from '../../live/state-counts.ts'
import { loneChunk, loneCounts } from '../lone-set.ts'
import { firstDue } from '../next-due.ts'
import type { WriteSet } from '../tables.ts'
import { type Keys, keysOf } from './claims-in-tail.ts'

/** A write that is in the tail, as far as anybody asks for it there. */
export interface InTail {
  readonly first_seq: number
  /** Its last place. */
  readonly seq: number
  /** What the log has of it; null when that was so long ago that it is to be read. */
  readonly entries: string | null
  readonly claimed: readonly Keys[]
  readonly counts: readonly CountEntry[]
  /** The first that is due by it; null when nothing is. */
  readonly due: number | null
  /** The first place among what is ready that it gives to a job; infinite when it gives none. */
  readonly rank: number
  readonly characters: number
}

export function inTail(set: WriteSet, seq: number): LoneInTail | WrittenInTail {
  return set.lone === undefined ? new WrittenInTail(set, seq) : new LoneInTail(set.lone, seq)
}

export class WrittenInTail implements InTail {
  readonly first_seq: number
  readonly seq: number
  entries: string | null
  readonly claimed: readonly Keys[]
  readonly counts: readonly CountEntry[]
  readonly due: number | null
  readonly rank: number
  readonly characters: number

  constructor(set: WriteSet, seq: number) {
    const { chunk, counts } = set
    this.first_seq = seq - (chunk?.places ?? 0) + 1
    this.seq = seq
    this.entries = chunk?.entries ?? ''
    this.claimed = keysOf(set)
    this.counts = counts
    this.due = firstDue(set)
    this.rank = firstRank(set)
    this.characters = charactersOf(set)
  }
}

/** More or less, and the rest of what is said of it by itself. */
const CHARACTERS_OF_LONE = 250
const CHARACTERS_OF_BIRTH = 150
const CHARACTERS_OF_STRIDE = 150

/** One new job, of which there may be very many: nothing is kept of it but the job. */
class LoneInTail implements InTail {
  readonly seq: number
  readonly #birth: Birth

  constructor(birth: Birth, seq: number) {
    this.#birth = birth
    this.seq = seq
  }

  get first_seq(): number {
    return this.seq - loneChunk(this.#birth).places + 1
  }

  get entries(): string {
    return loneChunk(this.#birth).entries
  }

  get claimed(): readonly Keys[] {
    const { tenant_id, claim } = this.#birth
    return [{ tenant_id, keys: [claim] }]
  }

  get counts(): readonly CountEntry[] {
    return loneCounts(this.#birth)
  }

  get due(): null {
    return null
  }

  get rank(): number {
    return this.#birth.ready.rank
  }

  get characters(): number {
    return CHARACTERS_OF_LONE + this.#birth.payloadText.length
  }
}

/** Infinite when it gives none. */
export function firstRank({ runs, ready }: WriteSet): number {
  let first = Number.POSITIVE_INFINITY
  for (const { births } of runs) for (const one of births) first = Math.min(first, one.ready.rank)
  for (const { rank } of ready.adds) first = Math.min(first, rank)
  return first
}

function charactersOf({ runs, strides, newJobs, jobs, records, rows, chunk }: WriteSet): number {
  let characters = chunk?.entries.length ?? 0
  for (const { births } of runs) {
    for (const { payloadText } of births) characters += CHARACTERS_OF_BIRTH + payloadText.length
  }
  for (const run of strides) characters += run.strides.length * CHARACTERS_OF_STRIDE
  for (const { fixed } of newJobs) characters += fixed.length
  for (const { moving } of jobs) characters += moving.length
  for (const { body } of records) characters += body.length
  for (const { body } of rows) characters += body.length
  return characters
}
