import { type AuditEntry, hopsOf } from '../../../core/audit.ts'
import { fromEpochSeconds } from '../../../core/time.ts'
import type { AuditQuery } from '../../query.ts'
import type { IdFilter } from '../blocks/id-filter.ts'
import { type Line, placesOf } from '../lines/line.ts'

/** What one block, one page or a whole segment holds: enough to see that there is nothing in it for a query. */
export interface Header {
  readonly first_seq: number
  readonly last_seq: number
  readonly lines: number
  /** Audit records: one per state passed through. */
  readonly records: number
  /** The earliest and the latest timestamp; null when there are no audit records. */
  readonly times: readonly [earliest: number, latest: number] | null
  /** The different values of a field, sorted; absent when there are too many to list. */
  readonly values: { readonly [F in ValueField]?: readonly string[] }
}

/** Fields whose values are listed. `new_state` has every state that was entered. */
const VALUE_FIELDS = ['tenant_id', 'kind', 'new_state', 'adapter', 'error_type', 'actor', 'event'] as const

type ValueField = (typeof VALUE_FIELDS)[number]

/** A field with more values than this is not worth listing. */
const MOST_VALUES = 16

/** Makes the header of some lines, from the lines. */
export class HeaderBuilder {
  readonly names = new Set<string>()
  readonly #values = new Map<ValueField, Set<string>>(VALUE_FIELDS.map((field) => [field, new Set()]))
  readonly #firstSeq: number
  #nextSeq: number
  #lines = 0
  #records = 0
  #earliest = Number.POSITIVE_INFINITY
  #latest = Number.NEGATIVE_INFINITY

  constructor(firstSeq: number) {
    this.#firstSeq = firstSeq
    this.#nextSeq = firstSeq
  }

  /** The seq that the next line has to have. */
  get nextSeq(): number {
    return this.#nextSeq
  }

  get lines(): number {
    return this.#lines
  }

  /** The line's entries are given too, since making them is not cheap. */
  add(line: Line, entries: readonly AuditEntry[]): void {
    this.#lines++
    this.#nextSeq += placesOf(line, entries)
    for (const entry of entries) this.#addEntry(entry)
  }

  build(): Header {
    return {
      first_seq: this.#firstSeq,
      last_seq: this.#nextSeq - 1,
      lines: this.#lines,
      records: this.#records,
      times: this.#records === 0 ? null : [this.#earliest, this.#latest],
      values: listed(this.#values),
    }
  }

  #addEntry(entry: AuditEntry): void {
    this.#records += hopsOf(entry)
    this.#earliest = Math.min(this.#earliest, entry.timestamp)
    this.#latest = Math.max(this.#latest, entry.timestamp)
    this.names.add(entry.id)
    if (entry.doc_id !== null) this.names.add(entry.doc_id)
    if (entry.job_id !== null) this.names.add(entry.job_id)
    this.#addValue('tenant_id', entry.tenant_id)
    this.#addValue('kind', entry.kind)
    for (let i = 1; i < entry.path.length; i++) this.#addValue('new_state', entry.path[i] as string)
    this.#addValue('adapter', entry.adapter)
    if (entry.error_type !== null) this.#addValue('error_type', entry.error_type)
    this.#addValue('actor', entry.actor)
    this.#addValue('event', entry.event)
  }

  #addValue(field: ValueField, value: string): void {
    const values = this.#values.get(field) as Set<string>
    if (values.size <= MOST_VALUES) values.add(value)
  }
}

/** One header for parts that follow each other. There is at least one. */
export function unionOf(parts: readonly Header[]): Header {
  const values = new Map<ValueField, Set<string> | null>()
  for (const field of VALUE_FIELDS) {
    const lists = parts.map((part) => part.values[field])
    values.set(field, lists.includes(undefined) ? null : new Set(lists.flatMap((list) => list ?? [])))
  }
  const times = parts.flatMap((part) => part.times ?? [])
  return {
    first_seq: (parts[0] as Header).first_seq,
    last_seq: (parts.at(-1) as Header).last_seq,
    lines: parts.reduce((sum, { lines }) => sum + lines, 0),
    records: parts.reduce((sum, { records }) => sum + records, 0),
    times: times.length === 0 ? null : [Math.min(...times), Math.max(...times)],
    values: listed(values),
  }
}

/** False: nothing in there matches. True: something may. */
export function mayMatch({ times, values }: Header, query: AuditQuery): boolean {
  if (times === null) return false
  if (query.from !== undefined && fromEpochSeconds(times[1]) < query.from) return false
  if (query.before !== undefined && fromEpochSeconds(times[0]) >= query.before) return false
  return VALUE_FIELDS.every((field) => {
    const wanted = field === 'new_state' ? query.state : query[field]
    return wanted === undefined || values[field]?.includes(wanted) !== false
  })
}

/** Whether the query names a record, and so whether it is worth looking at filters. */
export function namesIn({ id, job_id, doc_id }: AuditQuery): readonly string[] {
  return [id, job_id, doc_id].filter((name) => name !== undefined)
}

export function mayHave(filter: IdFilter, names: readonly string[]): boolean {
  return names.every((name) => filter.has(name))
}

function listed(values: ReadonlyMap<ValueField, ReadonlySet<string> | null>): Header['values'] {
  const lists: { [F in ValueField]?: readonly string[] } = {}
  for (const [field, found] of values) {
    if (found !== null && found.size <= MOST_VALUES) lists[field] = [...found].sort()
  }
  return lists
}
