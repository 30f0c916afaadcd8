import type { AuditRecord } from './audit.ts'

/** Kinds whose history tells when a record came to be; steps and outbox rows come to be with their job. */
export type CountedKind = 'document' | 'job'

/** How many records are in each state. */
export type Counts = { readonly [state: string]: number }

/**
 * Takes moves back, one by one in any order, and so comes from the counts of today to those of an earlier time. It
 * needs no more memory than there are states, however many records and moves there are.
 */
export class CountsInHindsight {
  readonly #counts: Map<string, number>

  constructor(now: Counts) {
    this.#counts = new Map(Object.entries(now))
  }

  takeBack(record: AuditRecord): void {
    if (record.event !== 'moved') return
    this.#add(record.new_state, -1)
    if (record.old_state !== null && !isNewDocument(record)) this.#add(record.old_state, 1)
  }

  counts(): Counts {
    return Object.fromEntries(this.#counts)
  }

  #add(state: string, n: number): void {
    this.#counts.set(state, (this.#counts.get(state) ?? 0) + n)
  }
}

/** A document not seen before is called pending, but nobody had counted it. */
function isNewDocument({ kind, duration_seconds }: AuditRecord): boolean {
  return kind === 'document' && duration_seconds === null
}
