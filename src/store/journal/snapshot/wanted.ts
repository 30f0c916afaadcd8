import { idOf, type RecordOf } from '../../../core/aggregate.ts'
import type { RecordKind } from '../../../core/machines/all.ts'
import { FILTER_FIELDS, type FindQuery, matchesFind } from '../../query.ts'
import { mayMatch } from './block-header.ts'
import type { Stretch } from './page.ts'
import { TABLE_OF } from './tables.ts'

/** The field that is the id, for kinds where one is. */
const ID_FIELD = {
  document: 'doc_id',
  job: 'job_id',
  run: 'run_id',
  workstream: 'workstream_id',
  step: null,
  outbox: null,
  queue: null,
  schedule: null,
  token: null,
} as const satisfies { readonly [K in RecordKind]: string | null }

interface Span {
  readonly from: string
  readonly to: string
}

/** What a query asks of settled records, and how to see early that something does not have it. */
export class Wanted<K extends RecordKind> {
  readonly query: FindQuery<K>
  readonly #shadowed: (tenant_id: string, id: string) => boolean
  readonly #spans: readonly Span[] | null
  readonly #needles: readonly (readonly string[])[]

  constructor(query: FindQuery<K>, shadowed: (tenant_id: string, id: string) => boolean) {
    this.query = query
    this.#shadowed = shadowed
    this.#spans = idSpans(query)
    this.#needles = needles(query)
  }

  /** False: nothing there matches, by its header. */
  mayBeIn({ header }: Stretch): boolean {
    return mayMatch(header, this.query)
  }

  /** False: nothing there matches, by its header or by its first and last id. */
  mayBeBetween(stretch: Stretch): boolean {
    const { first, last } = stretch
    const { tenant_id } = this.query
    if (tenant_id !== undefined && (tenant_id < first.tenant_id || tenant_id > last.tenant_id)) return false
    const spans = first.tenant_id === last.tenant_id ? this.#spans : null
    if (spans !== null && !spans.some(({ from, to }) => from <= last.id && to >= first.id)) return false
    return mayMatch(stretch.header, this.query)
  }

  /** False: the record in this line does not match; most do not, and then nobody has to parse them. */
  mayBeLine(line: string): boolean {
    return this.#needles.every((any) => any.some((needle) => line.includes(needle)))
  }

  /** Nothing newer stands in its place, and it is of the right tenant. */
  isInPlace(tenant_id: string, id: string): boolean {
    const tenant = this.query.tenant_id
    return (tenant === undefined || tenant === tenant_id) && !this.#shadowed(tenant_id, id)
  }

  matches(record: RecordOf[RecordKind]): record is RecordOf[K] {
    return matchesFind(record, this.query) && this.isInPlace(record.tenant_id, idOf(record))
  }

  mayHaveState(state: string): boolean {
    const wanted = this.query.where?.state
    return wanted === undefined || (typeof wanted === 'string' ? wanted === state : wanted.includes(state))
  }
}

function listOf(wanted: string | readonly string[] | undefined): readonly string[] | null {
  return wanted === undefined ? null : typeof wanted === 'string' ? [wanted] : wanted
}

/** Where in the order of ids the query looks, when it names some. */
function idSpans({ kind, where }: FindQuery): readonly Span[] | null {
  const field = ID_FIELD[kind]
  if (field !== null) return listOf(where?.[field])?.map((id) => ({ from: id, to: id })) ?? null
  // The id of a step is `job/step`, and `0` is what comes after a slash.
  if (kind === 'step') return listOf(where?.job_id)?.map((id) => ({ from: `${id}/`, to: `${id}0` })) ?? null
  return null
}

/** What must be in a line: a field is written as JSON writes it, and nothing else looks like it but more of the same. */
function needles({ kind, where }: FindQuery): readonly (readonly string[])[] {
  const lists: (readonly string[])[] = []
  for (const field of FILTER_FIELDS) {
    const wanted = listOf(where?.[field])
    // In a compact document the id is part of the key, which may have the tenant before it.
    if (wanted === null || (TABLE_OF[kind] === 'states' && field === 'doc_id')) continue
    lists.push(wanted.map((value) => JSON.stringify(value)))
  }
  return lists
}
