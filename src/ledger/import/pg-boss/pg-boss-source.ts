import type { JsonObject } from '../../../core/json.ts'
import { ImportNoSource, ImportUnknownVersion } from '../../../errors/import-errors.ts'
import { DatabaseSource, type DatabaseSourceOptions } from '../database-source.ts'
import type { OldRecord, Source } from '../old-record.ts'
import { ReadOnlyDatabase } from '../read-only-database.ts'
import { jobOf, scheduleOf } from './pg-boss-records.ts'

/** Versions of its tables: those of pg-boss 10.4, 11 and 12. */
const OLDEST = 24
const NEWEST = 46

/** Before this one, how long an attempt may take was an interval. */
const EXPIRES_IN_SECONDS = 25

/** Queues of its own, for schedules and the like. */
const NOT_ITS_OWN = "name NOT LIKE '\\_\\_pgboss\\_\\_%'"

export class PgBossSource extends DatabaseSource<DatabaseSourceOptions> implements Source {
  readonly system = 'pg-boss'
  readonly title = 'pg-boss'
  readonly version: string
  readonly #version: number

  private constructor(database: ReadOnlyDatabase, version: number, options: DatabaseSourceOptions) {
    super(database, options)
    this.#version = version
    this.version = `schema ${version}`
  }

  static async open(url: string, options: DatabaseSourceOptions): Promise<PgBossSource> {
    const database = await ReadOnlyDatabase.open(url, options.schema)
    try {
      if (!(await database.hasTable('version'))) {
        const next = 'Name the schema that pg-boss was given: --schema NAME.'
        throw new ImportNoSource(`There is no pg-boss in schema ${options.schema} of ${database.where}`, next)
      }
      const version = Number(await database.value(`SELECT version FROM ${database.schema}.version`))
      if (!(version >= OLDEST && version <= NEWEST)) {
        const known = `${OLDEST} to ${NEWEST}, of pg-boss 10.4, 11 and 12`
        throw new ImportUnknownVersion('pg-boss', `version ${version} of its tables`, known)
      }
      return new PgBossSource(database, version, options)
    } catch (error) {
      await database[Symbol.asyncDispose]()
      throw error
    }
  }

  async count(): Promise<number> {
    return this.sum(`SELECT name, count(*) AS n FROM ${this.#jobs} WHERE ${NOT_ITS_OWN} GROUP BY name`)
  }

  async active(): Promise<number> {
    return this.sum(
      `SELECT name, count(*) AS n FROM ${this.#jobs} WHERE ${NOT_ITS_OWN} AND state = 'active' GROUP BY name`,
    )
  }

  protected async *read(): AsyncGenerator<readonly OldRecord[]> {
    const { wants, now } = this.options
    const facts = { source: this.name, now: now() }
    const { schema } = this.database
    const schedules = await this.database.rows(
      `SELECT to_jsonb(s) AS schedule, to_jsonb(q) AS queue FROM ${schema}.schedule s
        LEFT JOIN ${schema}.queue q ON q.name = s.name ORDER BY 1`,
    )
    yield schedules
      .map(({ schedule, queue }) => scheduleOf(schedule as JsonObject, (queue ?? {}) as JsonObject, facts))
      .filter(wanted)
    for await (const rows of this.database.pages(await this.#query())) {
      yield rows
        .map(({ job, waits_for }) => jobOf(job as JsonObject, waits_for as readonly string[] | null, facts))
        .filter(wanted)
    }
    function wanted({ queue }: OldRecord): boolean {
      return wants(queue)
    }
  }

  /** All columns that there are: which ones depends on the version. */
  async #query(): Promise<string> {
    const { schema } = this.database
    const seconds =
      this.#version < EXPIRES_IN_SECONDS
        ? " || jsonb_build_object('expire_seconds', extract(epoch FROM expire_in))"
        : ''
    const waitsFor = (await this.database.hasTable('job_dependency'))
      ? `(SELECT array_agg(d.parent_name || ':' || d.parent_id) FROM ${schema}.job_dependency d
          JOIN ${this.#jobs} p ON p.name = d.parent_name AND p.id = d.parent_id
          WHERE d.child_name = j.name AND d.child_id = j.id AND p.state <> 'completed')`
      : 'NULL'
    return `SELECT to_jsonb(j)${seconds} AS job, ${waitsFor} AS waits_for FROM ${this.#jobs} j
      WHERE ${NOT_ITS_OWN} ORDER BY j.priority DESC, j.created_on, j.id`
  }

  get #jobs(): string {
    return `${this.database.schema}.job`
  }
}
