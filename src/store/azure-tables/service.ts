/**
 * The table service as this engine sees it: rows with keys and columns, and an etag that the service changes with every
 * write. What belongs together in one partition is written at once or not at all; nothing else is.
 *
 * Whoever implements it tries again by itself when the service is busy or a connection is lost, so a write may have been
 * done by a try whose answer never came. A refusal after such a try says so (`unsure`): only who knows what was to be
 * written can tell, by reading, whether it was their own.
 */
export interface TableService {
  /** Null when there is none. */
  get(table: string, pk: string, rk: string): Promise<Row | null>
  /** By partition key, then by row key. A page may be short, or empty, and still have a next one. */
  query(table: string, query: RowQuery): Promise<RowPage>
  /** Rows of one partition, at most `MOST_ROWS_AT_ONCE`, each once: all of them or none. One row alone is a plain request. */
  write(table: string, pk: string, writes: readonly RowWrite[]): Promise<WriteAnswer>
  /** Makes the tables that are not there. */
  createTables(tables: readonly string[]): Promise<void>
  close(): Promise<void>
}

/**
 * Kept as text, as a number or as yes or no. What is null is left out. All numbers are of one type, in double precision: the
 * service compares only values of the same type, and a column of whole numbers would be of two.
 */
export type Value = string | number | boolean

export type Columns = { readonly [name: string]: Value }

export interface Row {
  readonly pk: string
  readonly rk: string
  readonly etag: string
  readonly columns: Columns
}

export type RowWrite =
  | { readonly verb: 'insert'; readonly rk: string; readonly columns: Columns }
  /** All of its columns. With an etag only while the row has it; else whatever is there, if anything. */
  | {
      readonly verb: 'put'
      readonly rk: string
      readonly columns: Columns
      readonly etag?: string | undefined
    }
  /** With an etag only while the row has it; else whatever it holds, but it has to be there. */
  | { readonly verb: 'delete'; readonly rk: string; readonly etag?: string | undefined }

export type WriteAnswer =
  /** The new etags, in order; of rows that were deleted an empty text. */
  | { readonly ok: true; readonly etags: readonly string[] }
  | {
      readonly ok: false
      /** The first write at fault. */
      readonly at: number
      readonly why: 'exists' | 'changed' | 'missing'
      /** An earlier try of the same write may have been done, and be what is in the way. */
      readonly unsure: boolean
    }

export interface RowQuery {
  readonly pk?: string | undefined
  /** From is included, before is not. */
  readonly pkFrom?: string | undefined
  readonly pkBefore?: string | undefined
  readonly rkFrom?: string | undefined
  readonly rkBefore?: string | undefined
  /** All of them hold. A row without the column fits none. */
  readonly where?: readonly Condition[] | undefined
  /** Only these columns; keys and etags are always there. */
  readonly select?: readonly string[] | undefined
  /** At most `MOST_ROWS_IN_PAGE`. */
  readonly limit?: number | undefined
  /** Where the page before said that the next one begins. */
  readonly next?: string | undefined
}

export type Condition =
  | {
      readonly column: string
      readonly is: 'eq' | 'ne' | 'lt' | 'le' | 'gt' | 'ge'
      readonly value: Value
    }
  | { readonly column: string; readonly isOneOf: readonly Value[] }

export interface RowPage {
  readonly rows: readonly Row[]
  readonly next: string | null
}

// What the service allows.

export const MOST_ROWS_AT_ONCE = 100
export const MOST_ROWS_IN_PAGE = 1000
/** Comparisons in one filter. */
export const MOST_COMPARISONS = 15
export const MOST_CHARS_IN_VALUE = 32_000
export const MOST_BYTES_IN_ROW = 1024 * 1024
export const MOST_BYTES_AT_ONCE = 4 * 1024 * 1024
export const MOST_CHARS_IN_KEY = 512
