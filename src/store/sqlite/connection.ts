import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'

export type Value = SQLInputValue

/** Statements that are kept ready; more than there are different ones, unless somebody filters in very many ways. */
const MOST_STATEMENTS = 500

/** A connection to the database, with the statements that were used on it. */
export class Connection {
  readonly #database: DatabaseSync
  readonly #statements = new Map<string, StatementSync>()

  constructor(path: string, options: { readonly readOnly: boolean; readonly busyMs: number }) {
    this.#database = new DatabaseSync(path, { readOnly: options.readOnly, timeout: options.busyMs })
  }

  prepare(sql: string): StatementSync {
    const known = this.#statements.get(sql)
    if (known !== undefined) return known
    if (this.#statements.size >= MOST_STATEMENTS) this.#statements.clear()
    const statement = this.#database.prepare(sql)
    this.#statements.set(sql, statement)
    return statement
  }

  all<T>(sql: string, ...values: readonly Value[]): T[] {
    return this.prepare(sql).all(...values) as T[]
  }

  get<T>(sql: string, ...values: readonly Value[]): T | undefined {
    return this.prepare(sql).get(...values) as T | undefined
  }

  /** Answers how many rows were changed. */
  run(sql: string, ...values: readonly Value[]): number {
    return Number(this.prepare(sql).run(...values).changes)
  }

  /** Statements that are run once. */
  exec(sql: string): void {
    this.#database.exec(sql)
  }

  /** Begins a transaction that writes: nobody else does until it ends. */
  begin(): void {
    this.run('BEGIN IMMEDIATE')
  }

  /** Ends a transaction that wrote. */
  commit(): void {
    this.run('COMMIT')
  }

  /** Changes when another connection has written, and only then. */
  dataVersion(): number {
    return this.get<{ data_version: number }>('PRAGMA data_version')?.data_version ?? 0
  }

  /** What is read in it is all of one moment. */
  within<T>(read: () => T): T {
    this.run('BEGIN')
    try {
      return read()
    } finally {
      this.run('COMMIT')
    }
  }

  /** Whether a transaction is open: some failures end it by themselves. */
  get isWithin(): boolean {
    return this.#database.isTransaction
  }

  close(): void {
    this.#statements.clear()
    this.#database.close()
  }
}
