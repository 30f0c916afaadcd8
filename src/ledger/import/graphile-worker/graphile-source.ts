import { ImportNoSource, ImportUnknownVersion } from '../../../errors/import-errors.ts'
import { DatabaseSource, type DatabaseSourceOptions } from '../database-source.ts'
import type { OldRecord, OldSchedule, Source } from '../old-record.ts'
import { ReadOnlyDatabase } from '../read-only-database.ts'
import type { CrontabEntry } from './crontab.ts'
import { jobOf, scheduleOf, unknownSchedule } from './graphile-records.ts'

/** Migrations of its tables: those of Graphile Worker 0.16, 0.17 and 0.18. */
const OLDEST = 18
const NEWEST = 20

/** A worker that says nothing for so long is taken for dead, and its jobs go to others. */
const LOCKED = "j.locked_at > now() - interval '4 hours'"

export interface GraphileOptions extends DatabaseSourceOptions {
  /** What its crontab says: the database only knows when each entry ran last. Null when nobody gave it. */
  readonly crontab: readonly CrontabEntry[] | null
}

export class GraphileSource extends DatabaseSource<GraphileOptions> implements Source {
  readonly system = 'graphile-worker'
  readonly title = 'Graphile Worker'
  readonly version: string

  private constructor(database: ReadOnlyDatabase, version: number, options: GraphileOptions) {
    super(database, options)
    this.version = `migration ${version}`
  }

  static async open(url: string, options: GraphileOptions): Promise<GraphileSource> {
    const database = await ReadOnlyDatabase.open(url, options.schema)
    try {
      if (!(await database.hasTable('migrations'))) {
        const next = 'Name the schema that Graphile Worker was given: --schema NAME.'
        const message = `There is no Graphile Worker in schema ${options.schema} of ${database.where}`
        throw new ImportNoSource(message, next)
      }
      const version = Number(await database.value(`SELECT max(id) FROM ${database.schema}.migrations`))
      if (!(version >= OLDEST && version <= NEWEST)) {
        const known = `${OLDEST} to ${NEWEST}, of Graphile Worker 0.16, 0.17 and 0.18`
        throw new ImportUnknownVersion('Graphile Worker', `migration ${version} of its tables`, known)
      }
      await database.mustSeeAll('_private_jobs')
      return new GraphileSource(database, version, options)
    } catch (error) {
      await database[Symbol.asyncDispose]()
      throw error
    }
  }

  async count(): Promise<number> {
    return this.sum(this.#countWhere('true'))
  }

  async active(): Promise<number> {
    return this.sum(this.#countWhere(LOCKED))
  }

  protected async *read(): AsyncGenerator<readonly OldRecord[]> {
    const { wants, now } = this.options
    const facts = { source: this.name, now: now() }
    const wanted = ({ queue }: OldRecord) => wants(queue)
    yield (await this.#schedules()).filter(wanted)
    const query = `SELECT j.id::text AS id, t.identifier, q.queue_name, j.payload, j.priority, j.attempts, j.max_attempts,
        j.last_error, j.key, j.flags, (${LOCKED}) IS TRUE AS is_locked, to_jsonb(j.created_at) #>> '{}' AS created_at,
        floor(extract(epoch FROM j.run_at) * 1000)::float8 AS run_at_ms
      FROM ${this.#tables} LEFT JOIN ${this.database.schema}._private_job_queues q ON q.id = j.job_queue_id
      ORDER BY j.priority, j.run_at, j.id`
    for await (const rows of this.database.pages(query)) {
      yield rows.map((row) => jobOf(row, facts)).filter(wanted)
    }
  }

  async #schedules(): Promise<readonly OldSchedule[]> {
    const crontab = this.options.crontab ?? []
    const known = await this.database.rows(
      `SELECT identifier FROM ${this.database.schema}._private_known_crontabs ORDER BY 1`,
    )
    const given = new Set(crontab.map(({ identifier }) => identifier))
    const others = known.map(({ identifier }) => identifier as string).filter((name) => !given.has(name))
    return [
      ...crontab.map((entry) => scheduleOf(entry, this.name)),
      ...others.map((name) => unknownSchedule(name, this.name, this.options.crontab !== null)),
    ]
  }

  get #tables(): string {
    const { schema } = this.database
    return `${schema}._private_jobs j JOIN ${schema}._private_tasks t ON t.id = j.task_id`
  }

  #countWhere(condition: string): string {
    return `SELECT t.identifier AS name, count(*) AS n FROM ${this.#tables} WHERE ${condition} GROUP BY 1`
  }
}
