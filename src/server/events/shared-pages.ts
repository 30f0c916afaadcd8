import { type AuditQuery, LARGEST_PAGE } from '../../store/query.ts'
import type { FollowedLedger } from './follow-log.ts'
import { type Frame, frameOf, type Place, placeOf } from './frame.ts'
import type { Selection } from './selection.ts'

/** A page of the log for one selection. */
export interface LogPage {
  /** How far the ring had come before it was read. */
  readonly noted: Place
  /** What is to be shown. */
  readonly frames: readonly Frame[]
  /** The first and the last entry that the ledger answered with; null when there was none. */
  readonly first: Place | null
  readonly last: Place | null
  /** There was no more when it was read. */
  readonly isLast: boolean
}

/** Enough for those who are at about the same place. */
const MOST_PAGES = 8

/**
 * Pages that were read just now. After a restart everybody comes back, most of them to the same few places: what one has
 * read is what the next one asks for. A page stays right for as long as it goes with what was noted before it was read.
 */
export class SharedPages {
  readonly #ledger: FollowedLedger
  readonly #pages = new Map<string, Promise<LogPage>>()

  constructor(ledger: FollowedLedger) {
    this.#ledger = ledger
  }

  read(selection: Selection, from: Place, noted: Place): Promise<LogPage> {
    const key = `${from.seq} ${from.cursor} ${selection.key}`
    const known = this.#pages.get(key)
    if (known !== undefined) return known
    const page = this.#read(selection, from, noted)
    this.#pages.set(key, page)
    // What failed is tried again by whoever comes next.
    page.catch(() => this.#pages.delete(key))
    const [oldest = key] = this.#pages.keys()
    if (this.#pages.size > MOST_PAGES) this.#pages.delete(oldest)
    return page
  }

  /** Nobody reads any more. */
  forget(): void {
    this.#pages.clear()
  }

  async #read(selection: Selection, from: Place, noted: Place): Promise<LogPage> {
    const asked: AuditQuery = { ...selection.query, after: from.cursor, limit: LARGEST_PAGE }
    const { items, next } = await this.#ledger.audit.query(asked)
    const [first] = items
    const last = items.at(-1)
    return {
      noted,
      frames: items.filter((record) => selection.matches(record)).map(frameOf),
      first: first === undefined ? null : placeOf(first),
      last: last === undefined ? null : placeOf(last),
      isLast: next === null,
    }
  }
}
