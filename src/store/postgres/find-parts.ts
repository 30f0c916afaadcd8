// What all pages have in common: which records, from where on, and in which order.
import { type Machine, statesOf } from '../../core/machine.ts'
import type { Find } from '../tables/tables.ts'
import { textArray } from './binary-array.ts'
import { all, type SqlParts } from './sql-parts.ts'

type Field = keyof NonNullable<Find['where']>
export type Columns = { readonly [field in Field]?: string }

/** What a record is placed by. */
export interface Placed {
  readonly at: string
  readonly tenant: string
  readonly id: string
}

/** Everything but which states end a record; null when nothing can match. */
export function conditions(parts: SqlParts, find: Find, fields: Columns, place: Placed): string | null {
  const { where = {}, tenant_id } = find
  const given: (string | null)[] = []
  if (tenant_id !== undefined) given.push(`${place.tenant} = ${parts.value(tenant_id)}`)
  for (const field of Object.keys(where) as Field[]) {
    const wanted = where[field]
    if (wanted === undefined) continue
    const column = fields[field]
    if (column === undefined) return null
    given.push(
      typeof wanted === 'string'
        ? `${column} = ${parts.value(plain(wanted))}`
        : `${column} = ANY (${parts.value(textArray(wanted))}::text[])`,
    )
  }
  return all([...given, ...bounds(parts, find, place.at), afterOf(parts, find, place)])
}

/** PostgreSQL has no text with a NUL in it; where one is written it stands for itself. */
function plain(text: string): string {
  return text.replaceAll('\0', '\u2400')
}

export function bounds(
  parts: SqlParts,
  { changedFrom, changedBefore }: Find,
  at: string,
): readonly (string | null)[] {
  return [
    changedFrom === undefined ? null : `${at} >= ${parts.value(whole(changedFrom))}`,
    changedBefore === undefined ? null : `${at} < ${parts.value(whole(changedBefore))}`,
  ]
}

/** Times are whole milliseconds, whatever was asked for. */
function whole(ms: number): number {
  return Math.max(-Number.MAX_SAFE_INTEGER, Math.min(Number.MAX_SAFE_INTEGER, Math.ceil(ms)))
}

export function afterOf(parts: SqlParts, { after, order, isDescending }: Find, place: Placed): string | null {
  if (after === null) return null
  const names = `${parts.value(plain(after.tenant_id))}::text, ${parts.value(plain(after.id))}::text`
  const than = isDescending ? '<' : '>'
  return order === 'id'
    ? `(${place.tenant}, ${place.id}) ${than} (${names})`
    : `(${place.at}, ${place.tenant}, ${place.id}) ${than} (${parts.value(after.at)}::bigint, ${names})`
}

export function orderOf({ order, isDescending }: Find, { at, tenant, id }: Placed): string {
  const columns = order === 'id' ? [tenant, id] : [at, tenant, id]
  return columns.map((column) => (isDescending ? `${column} DESC` : column)).join(', ')
}

/** The states asked for, of those there are. */
export function wantedStates(find: Find, machine: Machine<string>): readonly string[] {
  const wanted = find.where?.state
  const states = statesOf(machine)
  if (wanted === undefined) return states
  return states.filter((state) => (typeof wanted === 'string' ? state === wanted : wanted.includes(state)))
}
