import type { LedgerRecord } from '../../../core/aggregate.ts'
import { changedAt, FILTER_FIELDS, type FindQuery } from '../../query.ts'

/** More different values than this are not listed: whoever looks for one has to look inside. */
const LARGEST_LIST = 16

/**
 * What is known of the records of a block or page without reading them, so that `find` can pass it over. It may
 * claim more than is there (a record may have left since), never less.
 */
export interface BlockHeader {
  /** Epoch milliseconds of the first and last change; null where nothing has a time. */
  readonly changed: readonly [from: number, to: number] | null
  /** What each field holds. No entry: nothing. Null: too much to list. */
  readonly values: FieldValues
}

type FieldValues = { readonly [field: string]: readonly string[] | null }

/** A time that is none would be nowhere in the order, and then nobody could take it out again. */
export function changeTime(record: LedgerRecord): number {
  const at = changedAt(record)
  return Number.isFinite(at) ? at : 0
}

export class HeaderBuilder {
  readonly #values = new Map<string, Set<string> | null>()
  #from = Number.POSITIVE_INFINITY
  #to = Number.NEGATIVE_INFINITY

  add(record: LedgerRecord): void {
    const at = changeTime(record)
    this.#addTime(at, at)
    const fields = record as unknown as { readonly [field: string]: unknown }
    for (const field of FILTER_FIELDS) {
      const value = fields[field]
      if (typeof value === 'string') this.#addValue(field, value)
    }
  }

  /** Everything that another header claims. */
  include({ changed, values }: BlockHeader): void {
    if (changed !== null) this.#addTime(...changed)
    for (const [field, list] of Object.entries(values)) {
      if (list === null) this.#values.set(field, null)
      else for (const value of list) this.#addValue(field, value)
    }
  }

  build(): BlockHeader {
    const values: { [field: string]: readonly string[] | null } = {}
    for (const field of FILTER_FIELDS) {
      const list = this.#values.get(field)
      if (list !== undefined) values[field] = list === null ? null : [...list].sort()
    }
    return { changed: this.#from <= this.#to ? [this.#from, this.#to] : null, values }
  }

  #addTime(from: number, to: number): void {
    if (from < this.#from) this.#from = from
    if (to > this.#to) this.#to = to
  }

  #addValue(field: string, value: string): void {
    const list = this.#values.get(field)
    if (list === null) return
    if (list === undefined) this.#values.set(field, new Set([value]))
    else if (list.size < LARGEST_LIST || list.has(value)) list.add(value)
    else this.#values.set(field, null)
  }
}

/** False: no record under this header matches. */
export function mayMatch({ changed, values }: BlockHeader, query: FindQuery): boolean {
  for (const field of FILTER_FIELDS) {
    const wanted = query.where?.[field]
    if (wanted === undefined) continue
    const list = Object.hasOwn(values, field) ? values[field] : []
    if (list == null) continue
    if (typeof wanted === 'string' ? !list.includes(wanted) : !wanted.some((one) => list.includes(one))) {
      return false
    }
  }
  if (changed === null) return true
  const [from, to] = changed
  return to >= (query.changedFrom ?? to) && from < (query.changedBefore ?? Number.POSITIVE_INFINITY)
}

/** Whether a header claims everything that another one does. */
export function covers(claimed: BlockHeader, actual: BlockHeader): boolean {
  if (actual.changed !== null) {
    const [from, to] = claimed.changed ?? [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
    if (from > actual.changed[0] || to < actual.changed[1]) return false
  }
  return Object.entries(actual.values).every(([field, list]) => {
    const known = claimed.values[field] === undefined ? [] : claimed.values[field]
    return known === null || list?.every((value) => known.includes(value)) === true
  })
}
