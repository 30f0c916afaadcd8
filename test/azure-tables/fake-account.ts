// What an account of Azure tables holds, in memory, and exactly what the service makes of a request. Several services may share
// one, as several processes share an account.
import { TableMissing } from '../../src/errors/azure-errors.ts'
import { filterOf } from '../../src/store/azure-tables/filter.ts'
import {
  type Columns,
  type Condition,
  MOST_ROWS_IN_PAGE,
  type Row,
  type RowPage,
  type RowQuery,
  type RowWrite,
  type Value,
  type WriteAnswer,
} from '../../src/store/azure-tables/service.ts'
import { checkKey, checkLimits, refuse } from './limits.ts'
import { SortedMap } from './sorted-map.ts'

type Table = SortedMap<SortedMap<Row>>

const ADDRESS = 'azure-tables:fake'

export class FakeAccount {
  readonly #tables = new Map<string, Table>()
  /** Etags are times, and whatever is written at one time has the same; but no row has one twice. */
  #time = 0
  readonly #writtenNow = new Set<string>()

  /** One that is there already stays as it is. */
  createTable(name: string): void {
    if (!this.#tables.has(name)) this.#tables.set(name, new SortedMap())
  }

  /** Rows of another account, with the etags that they have there. */
  restore(table: string, rows: readonly Row[]): void {
    const all = this.#tableOf(table)
    for (const row of rows) {
      const partition = all.get(row.pk) ?? new SortedMap<Row>()
      partition.set(row.rk, row)
      all.set(row.pk, partition)
    }
  }

  get(table: string, pk: string, rk: string): Row | null {
    for (const key of [pk, rk]) checkKey(key)
    return this.#tableOf(table).get(pk)?.get(rk) ?? null
  }

  write(table: string, pk: string, writes: readonly RowWrite[], unsure: boolean): WriteAnswer {
    const all = this.#tableOf(table)
    checkLimits(pk, writes)
    const rows = all.get(pk) ?? new SortedMap<Row>()
    for (const [at, write] of writes.entries()) {
      const why = refusalOf(write, rows.get(write.rk))
      if (why !== null) return { ok: false, at, why, unsure }
    }
    this.#pass(writes.map(({ rk }) => JSON.stringify([table, pk, rk])))
    const etags = writes.map((write) => this.#put(rows, pk, write))
    if (rows.size > 0) all.set(pk, rows)
    else all.delete(pk)
    return { ok: true, etags }
  }

  /** `scanned` is how many rows are looked at for one page, however many of them fit. */
  query(table: string, query: RowQuery, scanned = Number.POSITIVE_INFINITY): RowPage {
    const { limit = MOST_ROWS_IN_PAGE, select } = query
    if (limit < 1 || limit > MOST_ROWS_IN_PAGE) refuse(`a page of ${limit} rows`)
    const all = this.#tableOf(table)
    if (filterOf(query) === null) return { rows: [], next: null }
    const rows: Row[] = []
    let looked = 0
    for (const row of inRange(all, query)) {
      if (looked++ === scanned) return { rows, next: nextAt(row) }
      if (!fits(row, query)) continue
      if (rows.length === limit) return { rows, next: nextAt(row) }
      rows.push(select === undefined ? row : selected(row, select))
    }
    return { rows, next: null }
  }

  #tableOf(name: string): Table {
    const table = this.#tables.get(name)
    if (table === undefined) throw new TableMissing(ADDRESS, name)
    return table
  }

  /** It is later when one of these rows is written again. */
  #pass(names: readonly string[]): void {
    if (this.#time === 0 || names.some((name) => this.#writtenNow.has(name))) {
      this.#time++
      this.#writtenNow.clear()
    }
    for (const name of names) this.#writtenNow.add(name)
  }

  #put(rows: SortedMap<Row>, pk: string, write: RowWrite): string {
    if (write.verb === 'delete') {
      rows.delete(write.rk)
      return ''
    }
    const etag = `W/"datetime'${this.#time}'"`
    // There is only one nought.
    const columns = Object.fromEntries(
      Object.entries(write.columns).map(([name, value]) => [name, value === 0 ? 0 : value]),
    )
    rows.set(write.rk, { pk, rk: write.rk, etag, columns })
    return etag
  }
}

function refusalOf(write: RowWrite, row: Row | undefined): 'exists' | 'changed' | 'missing' | null {
  if (write.verb === 'insert') return row === undefined ? null : 'exists'
  if (row === undefined) return write.verb === 'put' && write.etag === undefined ? null : 'missing'
  return write.etag === undefined || write.etag === row.etag ? null : 'changed'
}

function* inRange(table: Table, { pk, pkFrom, pkBefore, rkFrom, rkBefore, next }: RowQuery): Iterable<Row> {
  const [nextPk, nextRk] = next === undefined ? [] : (JSON.parse(atob(next)) as [string, string])
  const from = [pk, pkFrom, nextPk].reduce<string>((a, b) => (b !== undefined && b > a ? b : a), '')
  for (const [key, rows] of table.entries(from)) {
    if ((pk !== undefined && key !== pk) || (pkBefore !== undefined && key >= pkBefore)) return
    const start = key === nextPk && nextRk !== undefined && nextRk > (rkFrom ?? '') ? nextRk : (rkFrom ?? '')
    for (const [rk, row] of rows.entries(start)) {
      if (rkBefore !== undefined && rk >= rkBefore) break
      yield row
    }
  }
}

function nextAt({ pk, rk }: Row): string {
  return btoa(JSON.stringify([pk, rk]))
}

function fits({ columns }: Row, { where = [] }: RowQuery): boolean {
  return where.every((condition) => holds(condition, columns[condition.column]))
}

function holds(condition: Condition, value: Value | undefined): boolean {
  if (value === undefined) return false
  const given = 'isOneOf' in condition ? condition.isOneOf : [condition.value]
  // The service finds nothing, or anything.
  if (given.some((other) => typeof other !== typeof value))
    refuse(`${condition.column} is compared with a value of another type`)
  if ('isOneOf' in condition) return given.includes(value)
  const { is, value: other } = condition
  if (is === 'eq') return value === other
  if (is === 'ne') return value !== other
  if (typeof value === 'boolean') refuse('there is no order of yes and no')
  if (is === 'lt') return value < other
  if (is === 'le') return value <= other
  return is === 'gt' ? value > other : value >= other
}

function selected(row: Row, names: readonly string[]): Row {
  const columns: Columns = Object.fromEntries(
    names.flatMap((name) => (name in row.columns ? [[name, row.columns[name] as Value]] : [])),
  )
  return { ...row, columns }
}
