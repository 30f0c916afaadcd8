import type { Birth } from '../../../core/job/birth.ts'
import type { CountEntry } from '../../live/state-counts.ts'
import type { Chunk } from '../log-parts.ts'
import { loneChunk, loneCounts } from '../lone-set.ts'
import { firstDue } from '../next-due.ts'
import type { WriteSet } from '../tables.ts'
import { type Keys, keysOf } from './claims-in-tail.ts'

/** A write that is in the tail, as far as anybody asks for it there. */
export interface InTail {
  /** Its last place. */
  readonly seq: number
  readonly chunk: Chunk
  readonly claimed: readonly Keys[]
  readonly counts: readonly CountEntry[]
  /** The first that is due by it; null when nothing is. */
  readonly due: number | null
  readonly characters: number
}

export function inTail(set: WriteSet, seq: number): InTail {
  if (set.lone !== undefined) return new LoneInTail(set.lone, seq)
  const { chunk, counts } = set
  const first_seq = seq - (chunk?.places ?? 0) + 1
  return {
    seq,
    chunk: { first_seq, entries: chunk?.entries ?? '' },
    claimed: keysOf(set),
    counts,
    due: firstDue(set),
    characters: charactersOf(set),
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

  get chunk(): Chunk {
    const { places, entries } = loneChunk(this.#birth)
    return { first_seq: this.seq - places + 1, entries }
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

  get characters(): number {
    return CHARACTERS_OF_LONE + this.#birth.payloadText.length
  }
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
