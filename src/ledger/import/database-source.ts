import type { OldRecord, WantsQueue } from './old-record.ts'
import type { ReadOnlyDatabase } from './read-only-database.ts'

export interface DatabaseSourceOptions {
  readonly schema: string
  /** What the database is called in keys; its schema unless told. */
  readonly as?: string | undefined
  readonly wants: WantsQueue
  readonly now: () => number
}

/** What systems that keep their jobs in PostgreSQL have in common. */
export abstract class DatabaseSource<O extends DatabaseSourceOptions> {
  protected readonly database: ReadOnlyDatabase
  protected readonly options: O

  protected constructor(database: ReadOnlyDatabase, options: O) {
    this.database = database
    this.options = options
  }

  get where(): string {
    return `${this.database.where} (${this.options.schema})`
  }

  records(): AsyncIterable<readonly OldRecord[]> {
    return this.database.atOneMoment(() => this.read())
  }

  notes(): readonly string[] {
    return []
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.database[Symbol.asyncDispose]()
  }

  protected abstract read(): AsyncGenerator<readonly OldRecord[]>

  /** What it is called in keys. */
  protected get name(): string {
    return this.options.as ?? this.options.schema
  }

  /** How many in all, of a statement that says how many (`n`) there are in each queue (`name`). */
  protected async sum(query: string): Promise<number> {
    const rows = await this.database.rows(query)
    const wanted = rows.filter(({ name }) => this.options.wants(name as string))
    return wanted.reduce((sum, { n }) => sum + (n as number), 0)
  }
}
