export interface PostgresOptions {
  /** Where all tables are; `waybill` when absent. May stand in the URL as well: `?schema=name`. */
  readonly schema?: string | undefined
  /** Without it a database that holds no ledger yet is refused. */
  readonly create?: boolean | undefined
  /** Without it tables of an earlier version are refused instead of being brought up to date. */
  readonly migrate?: boolean | undefined
  /**
   * Not possible behind a pooler that gives each transaction another connection: then the log is looked at instead. May
   * stand in the URL as well: `?listen=false`.
   */
  readonly listen?: boolean | undefined
  /**
   * Not possible behind a pooler that knows nothing of prepared statements: then every statement is sent and planned anew. May
   * stand in the URL as well: `?prepare=false`.
   */
  readonly prepare?: boolean | undefined
  /** How often somebody looks whether others have written, where that cannot be heard. */
  readonly pollMs?: number | undefined
  /** How long the history is kept, in milliseconds; for ever unless told. */
  readonly keepHistoryMs?: number | undefined
}

export const DEFAULT_SCHEMA = 'waybill'
export const DEFAULT_POLL_MS = 1000
