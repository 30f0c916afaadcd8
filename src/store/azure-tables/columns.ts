// How values are written for the service, and read from it.
import { must } from '../../core/must.ts'
import type { Columns, Row, Value } from './service.ts'

/** Names that the service or the SDK has for its own. */
const RESERVED = new Set([
  'PartitionKey',
  'RowKey',
  'Timestamp',
  'partitionKey',
  'rowKey',
  'timestamp',
  'etag',
])

const ODATA = 'odata.'

/** As the SDK hands it out. */
export interface Entity {
  readonly partitionKey?: string
  readonly rowKey?: string
  readonly etag: string
  readonly [column: string]: unknown
}

/**
 * With the type of what would be taken for another. The service compares only values of the same type, so that numbers are all
 * of one: a whole one is a double like any other.
 */
export function typed(columns: Columns): { readonly [name: string]: Value } {
  const all: { [name: string]: Value } = {}
  for (const [name, value] of Object.entries(columns)) {
    must(!RESERVED.has(name), () => `${name} is the service's own column`)
    all[name] = value
    if (typeof value !== 'number') continue
    must(Number.isFinite(value), () => `${name} is a number`)
    all[`${name}@odata.type`] = 'Edm.Double'
  }
  return all
}

export function rowOf({ partitionKey, rowKey, etag, ...rest }: Entity): Row {
  const columns: { [name: string]: Value } = {}
  for (const [name, value] of Object.entries(rest)) {
    // A column that was asked for and is not there comes as null.
    if (value === null || name === 'timestamp' || name.startsWith(ODATA)) continue
    columns[name] = value as Value
  }
  return { pk: partitionKey as string, rk: rowKey as string, etag, columns }
}
