import type { FindQuery } from '../query.ts'
import type { Find } from '../tables/tables.ts'
import type { Value } from './connection.ts'

type Where = NonNullable<FindQuery['where']>
export type FilterField = keyof Where

/** Which column has a field; a kind of record without the field has none. */
export type FieldColumns = { readonly [field in FilterField]?: string }

/**
 * How rows are found: along an index that has them in order, passing over what does not fit; or by what is asked for, if
 * that is few, to be sorted afterwards.
 */
export type Way = 'order' | 'filter'

/** Names of the columns by which rows are ordered. */
export interface OrderColumns {
  readonly at: string
  readonly id: string
}

/** Conditions that all have to hold, and the values they are bound to. */
export class Clause {
  readonly conditions: string[] = []
  readonly values: Value[] = []

  add(condition: string, ...values: readonly Value[]): this {
    this.conditions.push(condition)
    this.values.push(...values)
    return this
  }

  /** Any of several; with one alone an index can be used in its order. */
  addAny(column: string, wanted: readonly string[]): this {
    return wanted.length === 1
      ? this.add(`${column} = ?`, wanted[0] as string)
      : this.add(`${column} IN (SELECT value FROM json_each(?))`, JSON.stringify(wanted))
  }

  get sql(): string {
    return this.conditions.length === 0 ? '' : `WHERE ${this.conditions.join(' AND ')}`
  }
}

/** Null when nothing can match: the kind has no such field. */
export function whereOf(where: Find['where'], columns: FieldColumns, except?: FilterField): Clause | null {
  const clause = new Clause()
  for (const field in where) {
    const wanted = wantedOf(where, field as FilterField)
    if (wanted === undefined || field === except) continue
    const column = columns[field as FilterField]
    if (column === undefined) return null
    clause.addAny(column, wanted)
  }
  return clause
}

export function wantedOf(where: Find['where'], field: FilterField): readonly string[] | undefined {
  const wanted = where?.[field]
  return typeof wanted === 'string' ? [wanted] : wanted
}

/** Whose rows, of which time, and after which one. */
export function addRange(clause: Clause, query: Find, { at, id }: OrderColumns, by: Way): void {
  const { tenant_id, changedFrom, changedBefore, order, isDescending, after } = query
  if (tenant_id !== undefined) clause.add('tenant_id = ?', tenant_id)
  // Every index that is narrow begins with the tenant.
  else if (by === 'filter') clause.add('tenant_id IN (SELECT tenant_id FROM state_count)')
  if (changedFrom !== undefined) clause.add(`${at} >= ?`, changedFrom)
  if (changedBefore !== undefined) clause.add(`${at} < ?`, changedBefore)
  if (after === null) return
  const beyond = isDescending ? '<' : '>'
  if (order === 'changed') {
    // Said twice: the first alone is a range of the index.
    clause.add(`${at} ${beyond}= ?`, after.at)
    clause.add(`(${at}, tenant_id, ${id}) ${beyond} (?, ?, ?)`, after.at, after.tenant_id, after.id)
  } else if (tenant_id === after.tenant_id) clause.add(`${id} ${beyond} ?`, after.id)
  else clause.add(`(tenant_id, ${id}) ${beyond} (?, ?)`, after.tenant_id, after.id)
}

export function orderOf({ order, isDescending }: Find, { at, id }: OrderColumns, by: Way): string {
  const way = isDescending ? 'DESC' : 'ASC'
  // A plus is no sum: it keeps the database from choosing an index for the order's sake.
  const sign = by === 'filter' ? '+' : ''
  const columns = order === 'changed' ? [at, 'tenant_id', id] : ['tenant_id', id]
  return `ORDER BY ${columns.map((column) => `${sign}${column} ${way}`).join(', ')}`
}
