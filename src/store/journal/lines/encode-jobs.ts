import type { AuditEntry } from '../../../core/audit.ts'
import type { BatchBuffer } from '../batch-buffer.ts'
import type { Encodable } from './encode.ts'
import { isAbout, writeJobLine } from './encode-job.ts'
import { placesOfEntries } from './line.ts'

/**
 * Several jobs one after the other, each with its own history, claims and slots in the same order: what a batch of submits
 * commits by the thousand. A line for each. Null for any other commit.
 */
export function encodeJobs(
  { change, audit, first, moves, nths }: Encodable,
  into: BatchBuffer,
): number | null {
  if (moves.length < 2 || change.signals.length > 0) return null
  const { lines } = into
  const entries = new Owned(audit, ({ job_id }) => job_id)
  const claims = new Owned(change.claims, ({ owner }) => owner)
  const slots = new Owned(change.slots, ({ owner }) => owner)
  let seq = first
  for (const { to, parts, before } of moves) {
    const own = parts === null ? NO_ENTRIES : entries.of(to.job)
    if (parts === null || !isAbout(own, to.job)) return takeBack(into, lines)
    const devices = { claims: claims.of(to.job), slots: slots.of(to.job), signals: change.signals }
    writeJobLine({ seq, first, entries: own, nths, parts, before, devices }, into)
    seq += placesOfEntries(own)
  }
  return entries.isOver && claims.isOver && slots.isOver ? seq - first : takeBack(into, lines)
}

const NO_ENTRIES: readonly AuditEntry[] = []

function takeBack(into: BatchBuffer, lines: number): null {
  into.cutTo(lines)
  return null
}

interface Named {
  readonly tenant_id: string
}

/** A list that is taken in pieces, each what belongs to the next job. */
class Owned<T extends Named> {
  readonly #all: readonly T[]
  readonly #ownerOf: (item: T) => string | null
  #next = 0

  constructor(all: readonly T[], ownerOf: (item: T) => string | null) {
    this.#all = all
    this.#ownerOf = ownerOf
  }

  get isOver(): boolean {
    return this.#next === this.#all.length
  }

  of({ tenant_id, job_id }: { readonly tenant_id: string; readonly job_id: string }): readonly T[] {
    const from = this.#next
    for (; this.#next < this.#all.length; this.#next++) {
      const item = this.#all[this.#next] as T
      if (this.#ownerOf(item) !== job_id || item.tenant_id !== tenant_id) break
    }
    return this.#all.slice(from, this.#next)
  }
}
