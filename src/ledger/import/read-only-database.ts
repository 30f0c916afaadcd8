// A PostgreSQL database of somebody else: read in one transaction that may not write, from one moment of it.
import { ImportNoSource, ImportUnreachable } from '../../errors/import-errors.ts'
import { InvalidInput } from '../../errors/input-errors.ts'
import { shownUrl } from '../../errors/shown-url.ts'
import { loadPg, type PgClient } from '../../store/postgres/load-pg.ts'
import { PAGE } from './old-record.ts'

export type Row = { readonly [column: string]: unknown }

export class ReadOnlyDatabase implements AsyncDisposable {
  readonly where: string
  /** As it is written in a statement. */
  readonly schema: string
  readonly #client: PgClient

  private constructor(client: PgClient, where: string, schema: string) {
    this.#client = client
    this.where = where
    this.schema = schema
  }

  static async open(url: string, schema: string): Promise<ReadOnlyDatabase> {
    const where = shownUrl(url)
    if (!/^postgres(?:ql)?:\/\//i.test(url)) {
      const next = 'Give the URL of its database: postgres://user:password@host/database.'
      throw new InvalidInput('url', `${where} is not a URL of PostgreSQL`, next)
    }
    const pg = await loadPg()
    const client = pg.newClient({ connectionString: url, application_name: 'waybill import' })
    // A connection that is lost fails the query under way; nobody else has to hear of it.
    client.on('error', () => {})
    const database = new ReadOnlyDatabase(client, where, `"${schema.replaceAll('"', '""')}"`)
    try {
      await client.connect()
      // Also for what is asked outside the transaction below.
      await client.query("SET default_transaction_read_only = on; SET TIME ZONE 'UTC'")
    } catch (error) {
      await client.end().catch(() => {})
      throw new ImportUnreachable(where, { cause: error })
    }
    return database
  }

  async rows(text: string, values: readonly unknown[] = []): Promise<readonly Row[]> {
    try {
      return (await this.#client.query(text, [...values])).rows
    } catch (error) {
      throw new ImportUnreachable(this.where, { cause: error })
    }
  }

  /** The one value of the one row; null when there is none. */
  async value(text: string, values: readonly unknown[] = []): Promise<unknown> {
    const [row] = await this.rows(text, values)
    return row === undefined ? null : (Object.values(row)[0] ?? null)
  }

  async hasTable(name: string): Promise<boolean> {
    return (await this.value('SELECT to_regclass($1)', [`${this.schema}.${name}`])) !== null
  }

  /** Policies would leave rows out without a word. */
  async mustSeeAll(table: string): Promise<void> {
    const name = `${this.schema}.${table}`
    if ((await this.value('SELECT row_security_active($1::regclass::oid)', [name])) !== true) return
    const next = 'Give the URL of the user who owns the tables.'
    throw new ImportNoSource(
      `This user does not see all rows of ${name}: row level security hides some`,
      next,
    )
  }

  /** Everything that the work asks is from the same moment. */
  async *atOneMoment<T>(work: () => AsyncIterable<T>): AsyncGenerator<T> {
    await this.rows('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
    try {
      yield* work()
    } finally {
      await this.#client.query('ROLLBACK').catch(() => {})
    }
  }

  /** The rows of a query, page by page. In `atOneMoment` only. */
  async *pages(text: string): AsyncGenerator<readonly Row[]> {
    await this.rows(`DECLARE waybill_import NO SCROLL CURSOR FOR ${text}`)
    for (;;) {
      const rows = await this.rows(`FETCH ${PAGE} FROM waybill_import`)
      if (rows.length > 0) yield rows
      if (rows.length < PAGE) break
    }
    await this.rows('CLOSE waybill_import')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#client.end().catch(() => {})
  }
}
