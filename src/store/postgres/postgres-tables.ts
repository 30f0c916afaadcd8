import type { AloneKind } from '../../core/aggregate.ts'
import type { Claim, ClaimKey, SlotKey } from '../../core/decision.ts'
import type { Clock } from '../../world/clock.ts'
import type { World } from '../../world/world.ts'
import type { CountEntry } from '../live/state-counts.ts'
import type { About, Chunk, ChunkSelect, ChunkSketch, SketchSelect } from '../tables/log-parts.ts'
import {
  type ClosedRow,
  type Find,
  type FoundOutbox,
  type FoundStep,
  type Head,
  type JobRow,
  type Loaded,
  type NextSelect,
  NOTHING_WANTED,
  type ReadySelect,
  type RecordRow,
  type SlotHolder,
  type TakenWork,
  type TakeWork,
  type Wanted,
  type WriteSet,
  type Written,
} from '../tables/tables.ts'
import type { TailDriver } from '../tables/tail/tail.ts'
import { partsOf, shownAddress } from './address.ts'
import { textArray } from './binary-array.ts'
import { Counted } from './counted.ts'
import { translated } from './errors.ts'
import { FindQueries } from './find.ts'
import { findSteps } from './find-steps.ts'
import { PostgresInbox } from './inbox-table.ts'
import { Lanes } from './lanes.ts'
import { Link, type Query, type Server } from './link.ts'
import { Loading } from './load.ts'
import { loadPg } from './load-pg.ts'
import { LogQueries } from './log-queries.ts'
import { type MigrateOptions, migrated } from './migrate.ts'
import { channelOf, quotedSchema } from './migrations/migrations.ts'
import { sharedFoldLockSql } from './migrations/tail.ts'
import { News } from './news.ts'
import { Partitions } from './partitions.ts'
import { DEFAULT_POLL_MS, DEFAULT_SCHEMA, type PostgresOptions } from './postgres-options.ts'
import { endOf, PostgresTail } from './postgres-tail.ts'
import { readChunks } from './read-chunks.ts'
import { CLOSED_COLUMNS, jobColumns, jobOf, type RawJob } from './rows.ts'
import { serverClock } from './server-clock.ts'
import { takeWork } from './session.ts'
import { type NextRow, nextOf, takenOf, WorkQueries } from './work.ts'
import { WriteLane } from './write-lane.ts'

/** Connections of one process, beside the one that listens. */
const WRITE_LANES = 2
const TAKE_LANES = 2
const READ_LINKS = 3

/** Opens the ledger that is in a schema of the database; makes it, or brings it up to date, if that is allowed. */
export async function openPostgresTables(
  url: string,
  world: World,
  options: PostgresOptions = {},
): Promise<PostgresTables> {
  const address = shownAddress(url)
  const parts = partsOf(url)
  const { create = true, migrate = true } = options
  const schema = options.schema ?? parts.options.schema ?? DEFAULT_SCHEMA
  const listen = options.listen ?? parts.options.listen
  const prepares = options.prepare ?? parts.options.prepare ?? true
  quotedSchema(schema)
  const server: Server = { pg: await loadPg(), url: parts.url, address, world, prepares }
  const tables = new PostgresTables(server, { ...options, schema, listen })
  try {
    await tables.begin({ schema, create, migrate })
    return tables
  } catch (error) {
    await tables.close()
    throw translated(error, server.address)
  }
}

export class PostgresTables implements TailDriver {
  readonly #server: Server
  readonly #s: string
  readonly #reads: readonly Link[]
  readonly #writes: Lanes<WriteLane>
  readonly #takes: Lanes<WriteLane>
  readonly #loading: Loading
  readonly #work: WorkQueries
  readonly #find: FindQueries
  readonly #log: LogQueries
  readonly #upkeep: Link
  readonly #partitions: Partitions
  readonly #news: News
  readonly #there = Promise.withResolvers<void>()
  readonly inbox: PostgresInbox
  readonly tail: PostgresTail

  constructor(server: Server, options: PostgresOptions & { readonly schema: string }) {
    const { schema, listen = true, pollMs = DEFAULT_POLL_MS } = options
    const process = server.world.ids.next()
    const isThere = this.#there.promise
    const counted = new Counted()
    const onTail = () => this.tail.give()
    const lane = () =>
      new WriteLane({ server, schema: quotedSchema(schema), process, isThere, counted, onTail })
    this.#server = server
    this.#s = quotedSchema(schema)
    this.#reads = Array.from({ length: READ_LINKS }, () => new Link(server))
    this.#writes = new Lanes(Array.from({ length: WRITE_LANES }, lane))
    this.#takes = new Lanes(Array.from({ length: TAKE_LANES }, lane))
    this.#loading = new Loading(this.#s)
    this.#work = new WorkQueries(this.#s)
    this.#find = new FindQueries(this.#s)
    this.#log = new LogQueries(this.#s)
    this.#upkeep = new Link(server)
    this.#partitions = new Partitions(this.#upkeep, schema)
    this.tail = new PostgresTail({
      schema: this.#s,
      // Whoever adds to the end of the log does not write in place meanwhile.
      lane: this.#writes.all[0] as WriteLane,
      read: (query) => this.#readRaw(query),
      load: (wanted) => this.#loading.load(wanted, (queries) => this.#reader().readAll(queries)),
      headsAfter: async (select) =>
        nextOf(await this.#readRaw<NextRow>(this.#work.after(select)), select.after.length),
      findRecords: (kind, query) => this.#records(kind, query, (one) => this.#readRaw(one)),
      nextDue: nextDueQuery(this.#s),
      onWritten: (written) => this.#news.saw(written),
    })
    const head = () => this.#mark()
    this.inbox = new PostgresInbox(this.#s, (query) => this.#read(query))
    const channel = channelOf(schema)
    this.#news = new News({ server, schema: this.#s, channel, process, listen, isThere, pollMs, head })
  }

  /** The machine's clock, set by the server's. */
  serverClock(clock: Clock): Promise<Clock> {
    const text = 'SELECT round(extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now'
    return serverClock(
      clock,
      async () => (await this.#read<{ now: number }>({ text }))[0]?.now ?? clock.now(),
    )
  }

  /**
   * What has to be there before anything is written, and who may write. Connections are made all at once: each takes the server
   * a while, and nothing is written on one until it is known that this may be done.
   */
  async begin(options: MigrateOptions): Promise<void> {
    const listening = this.#news.begin()
    const writing = this.#writes.use((lane) => lane.link.client())
    const all = Promise.allSettled([this.#there.promise, listening, writing])
    try {
      await migrated(this.#reader(), this.#server, options)
      this.#there.resolve()
    } catch (error) {
      this.#there.reject(error)
      await all
      throw error
    }
    await Promise.all([listening, writing, this.#makeAhead()])
  }

  async #makeAhead(): Promise<void> {
    const { at } = await this.head()
    await this.#partitions.makeAhead(Math.max(at, this.#server.world.clock.now()), this.#reader())
    await this.#upkeep.rest()
  }

  load(wanted: Wanted): Promise<Loaded> {
    return this.#loading.load(wanted, (queries) => this.#readAll(queries))
  }

  async write(set: WriteSet): Promise<Written> {
    const written = await this.#writes.use((lane) => lane.write(set, null))
    this.#wrote(written)
    return written
  }

  take(select: TakeWork, also: Wanted = NOTHING_WANTED): Promise<TakenWork> {
    const onWritten = (written: Written) => this.#wrote(written)
    const onTail = () => this.tail.give()
    const holdTail = { name: 'hold-tail', text: sharedFoldLockSql(this.#s) }
    return takeWork(
      { lanes: this.#takes, queries: this.#work, loading: this.#loading, onWritten, holdTail, onTail },
      select,
      also,
    )
  }

  async heads(select: ReadySelect): Promise<readonly JobRow[]> {
    return takenOf(await this.#read<RawJob>(this.#work.heads(select))).jobs
  }

  async headsAfter(select: NextSelect): Promise<readonly (readonly JobRow[])[]> {
    return nextOf(await this.#read<NextRow>(this.#work.after(select)), select.after.length)
  }

  holders(slots: readonly SlotKey[]): Promise<readonly SlotHolder[]> {
    const text = `SELECT w.tenant_id, w.key, j.job_id AS owner FROM unnest($1::text[], $2::text[]) AS w(tenant_id, key)
      JOIN ${this.#s}.job j ON j.tenant_id = w.tenant_id WHERE j.ended_state IS NULL AND w.key = ANY (j.holds)`
    const values = [textArray(slots.map((slot) => slot.tenant_id)), textArray(slots.map(({ key }) => key))]
    return this.#read({ name: 'holders', text, values })
  }

  async nextDue(): Promise<number | null> {
    const [row] = await this.#read<{ due_at: number | null }>(nextDueQuery(this.#s))
    return row?.due_at ?? null
  }

  async pendingSignals(): Promise<number> {
    const [row] = await this.#readRaw<{ n: number }>({ text: `SELECT count(*) AS n FROM ${this.#s}.owed` })
    return row?.n ?? 0
  }

  head(): Promise<Head> {
    return this.tail.head()
  }

  /** Changes whenever there is something new to look at. */
  async #mark(): Promise<string> {
    const s = this.#s
    const text = `SELECT concat_ws(' ', ${endOf(s)}, h.at, (SELECT max(id) FROM ${s}.inbox WHERE answer IS NULL)) AS mark
      FROM ${s}.head h`
    return (await this.#readRaw<{ mark: string }>({ name: 'mark', text }))[0]?.mark ?? ''
  }

  counts(): Promise<readonly CountEntry[]> {
    return this.#read({ text: `SELECT tenant_id, kind, state, n FROM ${this.#s}.state_count WHERE n <> 0` })
  }

  async findJobs(query: Find): Promise<readonly JobRow[]> {
    return (await this.#found<RawJob>(this.#find.jobs(query))).map(jobOf)
  }

  async findRecords(kind: AloneKind, query: Find): Promise<readonly RecordRow[]> {
    return this.#records(kind, query, (one) => this.#read(one))
  }

  async #records(
    kind: AloneKind,
    find: Find,
    read: (query: Query) => Promise<readonly (RecordRow & object)[]>,
  ): Promise<readonly RecordRow[]> {
    const query = this.#find.records(kind, find)
    const rows = query === null ? [] : await read(query)
    return rows.map(({ tenant_id, id, version, body }) => ({ kind, tenant_id, id, version, body }))
  }

  findSteps(query: Find): Promise<readonly FoundStep[]> {
    return findSteps(this.#s, query, (one) => this.#read(one))
  }

  async findOutbox(query: Find): Promise<readonly FoundOutbox[]> {
    return (await this.#found<RawOutbox>(this.#find.outbox(query))).map(outboxOf)
  }

  async outboxRow(tenant_id: string, outbox_id: string): Promise<FoundOutbox | null> {
    const s = this.#s
    const [closed, open] = await this.#readAll<object>([
      {
        name: 'closed-row',
        text: `SELECT ${CLOSED_COLUMNS} FROM ${s}.closed_outbox o WHERE o.tenant_id = $1 AND o.outbox_id = $2`,
        values: [tenant_id, outbox_id],
      },
      {
        name: 'open-row',
        text: `SELECT ${jobColumns(s)} FROM ${s}.job j WHERE j.open_rows > 0 AND j.tenant_id = $1
          AND position($2 IN j.moving) > 0
          AND EXISTS (SELECT 1 FROM ${s}.open_outbox_of(j.moving) AS o WHERE o.outbox_id = $3)`,
        values: [tenant_id, JSON.stringify(outbox_id), outbox_id],
      },
    ])
    const [job] = open as readonly RawJob[]
    if (job !== undefined) return { job: jobOf(job), outbox_id }
    const [row] = closed as readonly ClosedRow[]
    return row === undefined ? null : { closed: row }
  }

  async chunksAbout(about: About): Promise<readonly number[]> {
    const rows = await this.#read<{ chunk_id: number }>(this.#log.about(about))
    return rows.map(({ chunk_id }) => chunk_id)
  }

  chunks(select: ChunkSelect): Promise<readonly Chunk[]> {
    return readChunks(this.#log, select, (query) => this.#read(query))
  }

  sketches(select: SketchSelect): Promise<readonly ChunkSketch[]> {
    return this.#read(this.#log.sketches(select))
  }

  claims(after: ClaimKey | null, limit: number): Promise<readonly Claim[]> {
    const from = after === null ? '' : 'WHERE (c.tenant_id, c.key) > ($2, $3)'
    const text = `SELECT c.tenant_id, c.key, c.owner FROM ${this.#s}.claim c ${from} ORDER BY c.tenant_id, c.key LIMIT $1`
    return this.#read({ text, values: after === null ? [limit] : [limit, after.tenant_id, after.key] })
  }

  async maintain(keepFrom: number | null): Promise<number> {
    try {
      await this.tail.clear()
      await this.#makeAhead()
      await this.#partitions.forgetTheGone()
      await this.tail.removeForms()
      return keepFrom === null ? 0 : await this.#partitions.removeBefore(keepFrom)
    } catch (error) {
      throw translated(error, this.#server.address)
    } finally {
      await this.#upkeep.rest()
    }
  }

  onNews(listener: () => void): void {
    this.#news.onNews(listener)
  }

  async close(): Promise<void> {
    const lanes = [...this.#writes.all, ...this.#takes.all]
    await Promise.all([
      this.#news.close(),
      this.#upkeep.close(),
      ...this.#reads.map((link) => link.close()),
      ...lanes.map((lane) => lane.close()),
    ])
  }

  #wrote({ head }: Written): void {
    this.tail.knows(head)
    this.#news.saw(head)
  }

  /** Whatever is in the tail. */
  #readRaw<R extends object>(query: Query): Promise<readonly R[]> {
    return this.#reader().read<R>(query)
  }

  async #read<R extends object>(query: Query): Promise<readonly R[]> {
    const [rows = []] = await this.#readAll<R>([query])
    return rows
  }

  /** When everything is where it is found, as nearly always: whether it is, is asked along with the rest. */
  async #readAll<R extends object>(queries: readonly Query[]): Promise<readonly (readonly R[])[]> {
    const hasTail = { name: 'has-tail', text: `SELECT 1 AS one FROM ${this.#s}.tail LIMIT 1` }
    const [tail = [], ...found] = await this.#reader().readAll<R>([hasTail, ...queries])
    if (tail.length === 0) return found
    await this.tail.clear()
    return this.#reader().readAll<R>(queries)
  }

  async #found<R extends object>(query: Query | null): Promise<readonly R[]> {
    return query === null ? [] : this.#read<R>(query)
  }

  /** The one that has least to do. */
  #reader(): Link {
    return this.#reads.reduce((least, link) => (link.pending < least.pending ? link : least))
  }
}

const nextDueQuery = (s: string): Query => ({
  name: 'next-due',
  text: `SELECT CASE WHEN EXISTS (SELECT 1 FROM ${s}.owed) OR EXISTS (SELECT 1 FROM ${s}.inbox WHERE answer IS NULL)
    THEN 0 ELSE (SELECT min(due_at) FROM ${s}.due) END AS due_at`,
})

type RawOutbox = Omit<ClosedRow, 'body'> & RawJob & { readonly body: string | null }

function outboxOf(row: RawOutbox): FoundOutbox {
  const { tenant_id, outbox_id, job_id, step_id, state, changed_at, body } = row
  return body === null
    ? { job: jobOf(row), outbox_id }
    : { closed: { tenant_id, outbox_id, job_id, step_id, state, changed_at, body } }
}
