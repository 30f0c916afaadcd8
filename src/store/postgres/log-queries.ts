import { ALONE_KINDS } from '../../core/aggregate.ts'
import type { RecordKind } from '../../core/machines/all.ts'
import { type About, type ChunkSelect, LATE_MS, type SketchSelect } from '../tables/log-parts.ts'
import { bigintArray, textArray } from './binary-array.ts'
import type { Query } from './link.ts'
import { all, SqlParts } from './sql-parts.ts'

/** Questions about the history. */
export class LogQueries {
  readonly #s: string

  constructor(schema: string) {
    this.#s = schema
  }

  /** Of those that are named, or of all: an index has them in their order. */
  chunks(select: ChunkSelect): Query {
    const parts = new SqlParts()
    const { ids, tags, from, before } = select
    const limit = parts.value(select.limit)
    const order = orderOf(select)
    if (ids === undefined) {
      const text = `SELECT l.first_seq, l.entries FROM ${this.#span(parts, select, limit)} AS l ORDER BY ${order}`
      return { text, values: parts.values }
    }
    const where = all([
      this.#range(parts, select, 'other'),
      `l.chunk_id = ANY (${parts.value(bigintArray(ids))}::bigint[])`,
      tagged(parts, tags),
      ...times(parts, { from, before }),
    ])
    const text = `SELECT l.first_seq, l.entries FROM ${this.#s}.log l WHERE ${where} ORDER BY ${order} LIMIT ${limit}`
    return { text, values: parts.values }
  }

  /** Of the next so many, those with the tags; and how many there were. */
  near(select: ChunkSelect, look: number): Query {
    const parts = new SqlParts()
    const span = this.#span(parts, select, parts.value(look))
    const order = orderOf(select)
    const text = `
WITH near AS MATERIALIZED (SELECT * FROM ${span} AS l)
SELECT f.first_seq, f.entries, n.looked FROM (SELECT count(*) AS looked FROM near) AS n LEFT JOIN (
  SELECT l.first_seq, l.entries FROM near l WHERE ${tagged(parts, select.tags)} ORDER BY ${order} LIMIT ${parts.value(select.limit)}
) AS f ON true ORDER BY ${order.replace('l.', 'f.')}`
    return { text, values: parts.values }
  }

  /** All that have the tags are found before they are sorted: for tags that few have. */
  tagged(select: ChunkSelect): Query {
    const parts = new SqlParts()
    const log = `${this.#s}.log`
    const order = orderOf(select)
    const where = all([
      this.#range(parts, select, 'other'),
      tagged(parts, select.tags),
      ...times(parts, select),
    ])
    const text = `
WITH hit AS MATERIALIZED (SELECT l.first_seq FROM ${log} l WHERE ${where})
SELECT l.first_seq, l.entries FROM (SELECT l.first_seq FROM hit l ORDER BY ${order} LIMIT ${parts.value(select.limit)}) AS h
JOIN ${log} l ON l.first_seq = h.first_seq ORDER BY ${order}`
    return { text, values: parts.values }
  }

  /**
   * Parts beyond a place; one may begin before it and reach beyond it. How many that are is hard to guess for the server: where
   * it is to go by something else, the place is a sum, which no index has.
   */
  #range(
    parts: SqlParts,
    { seq, isDescending }: Pick<ChunkSelect, 'seq' | 'isDescending'>,
    by: 'place' | 'other',
  ): string {
    const first_seq = by === 'place' ? 'l.first_seq' : '(l.first_seq + 0)'
    const place = parts.value(seq)
    const begin = `SELECT b.first_seq FROM ${this.#s}.log b WHERE b.first_seq <= ${place} ORDER BY b.first_seq DESC LIMIT 1`
    const beyond = isDescending
      ? `${first_seq} < ${place}`
      : `${first_seq} >= COALESCE((${begin}), 0) AND l.first_seq + l.places > ${place}::bigint + 1`
    // What is to be removed is gone for everybody as soon as the head says so.
    return `${beyond} AND ${first_seq} > (SELECT h.removed FROM ${this.#s}.head h)`
  }

  /**
   * The first of a time. Where it begins and ends in the log an index knows, but for parts that are late: they are looked for
   * beyond the end of it as well.
   */
  #span(parts: SqlParts, select: Span, limit: string): string {
    const log = `${this.#s}.log`
    const { from, before } = select
    const order = orderOf(select)
    const within = all([this.#range(parts, select, 'place'), ...times(parts, select)])
    const start =
      from === undefined
        ? null
        : `l.first_seq >= COALESCE((SELECT r.first_seq FROM ${log} r WHERE r.reach >= ${parts.value(bound(from))}
          ORDER BY r.reach, r.first_seq LIMIT 1), ${Number.MAX_SAFE_INTEGER})`
    const some = (where: string) =>
      `(SELECT l.* FROM ${log} l WHERE ${where} ORDER BY ${order} LIMIT ${limit})`
    if (before === undefined) return some(all([within, start]))
    const end = `COALESCE((SELECT r.first_seq FROM ${log} r WHERE r.reach < ${parts.value(bound(before + LATE_MS))}
      ORDER BY r.reach DESC, r.first_seq DESC LIMIT 1), 0)`
    const prompt = some(all([within, start, `l.first_seq <= ${end}`]))
    const late = some(all([within, start, `l.first_seq > ${end} AND l.first_at < l.reach - ${LATE_MS}`]))
    return `(SELECT l.* FROM (${prompt} UNION ALL ${late}) AS l ORDER BY ${order} LIMIT ${limit})`
  }

  sketches({ from, before, after, limit }: SketchSelect): Query {
    const parts = new SqlParts()
    const span = this.#span(parts, { from, before, seq: after, isDescending: false }, parts.value(limit))
    const text = `SELECT l.first_seq, l.first_at, l.last_at, l.sketch FROM ${span} AS l
      WHERE l.first_seq > ${parts.value(after)} ORDER BY l.first_seq`
    return { text, values: parts.values }
  }

  /** By what narrows it down most; the rest is looked at when the entries are read. */
  about({ tenant_id, kind, id, job_id, doc_id }: About): Query {
    const parts = new SqlParts()
    const tenants =
      tenant_id === undefined ? this.#tenants() : `SELECT ${parts.value(tenant_id)}::text AS tenant_id`
    const sources =
      id !== undefined
        ? this.#aboutRecord(parts, kind, id)
        : job_id !== undefined
          ? this.#aboutJobs(`= ${parts.value(job_id)}`)
          : this.#aboutDocument(parts, doc_id as string)
    const text = `
WITH tenant AS MATERIALIZED (${tenants})
SELECT DISTINCT unnest(found.log) AS chunk_id FROM (${sources.join(' UNION ALL ')}) AS found ORDER BY 1`
    return { text, values: parts.values }
  }

  /** Refusals may be of tenants who have no record at all. */
  #tenants(): string {
    const s = this.#s
    const first = `SELECT r.tenant_id FROM ${s}.refusal r`
    return `SELECT tenant_id FROM (SELECT tenant_id FROM ${s}.state_count UNION (
  WITH RECURSIVE t AS (
    (${first} ORDER BY 1 LIMIT 1)
    UNION ALL
    SELECT (${first} WHERE r.tenant_id > t.tenant_id ORDER BY 1 LIMIT 1) FROM t WHERE t.tenant_id IS NOT NULL
  ) SELECT tenant_id FROM t WHERE tenant_id IS NOT NULL)) AS tenants(tenant_id)`
  }

  #aboutRecord(parts: SqlParts, kind: RecordKind | undefined, id: string): string[] {
    const s = this.#s
    const place = parts.value(id)
    const is = (one: RecordKind) => kind === undefined || kind === one
    const sources = [
      `SELECT f.log FROM ${s}.refusal f JOIN tenant t ON f.tenant_id = t.tenant_id
       WHERE f.id = ${place} AND f.kind = ANY (${parts.value(textArray(kind === undefined ? KINDS : [kind]))}::text[])`,
    ]
    const alone = ALONE_KINDS.filter(is)
    if (alone.length > 0) {
      sources.push(`SELECT r.log FROM ${s}.record r JOIN tenant t ON r.tenant_id = t.tenant_id
       WHERE r.id = ${place} AND r.kind = ANY (${parts.value(textArray(alone))}::text[])`)
    }
    if (is('job')) sources.push(...this.#aboutJobs(`= ${place}`))
    const slash = id.lastIndexOf('/')
    if (is('step') && slash !== -1) sources.push(...this.#aboutJobs(`= ${parts.value(id.slice(0, slash))}`))
    if (is('outbox')) {
      sources.push(
        `SELECT j.log FROM ${s}.closed_outbox o JOIN tenant t ON o.tenant_id = t.tenant_id
         JOIN ${s}.job j ON j.tenant_id = o.tenant_id AND j.job_id = o.job_id WHERE o.outbox_id = ${place}`,
        `SELECT f.log FROM ${s}.closed_outbox o JOIN tenant t ON o.tenant_id = t.tenant_id
         JOIN ${s}.refusal f ON f.tenant_id = o.tenant_id AND f.job_id = o.job_id WHERE o.outbox_id = ${place}`,
        `SELECT j.log FROM ${s}.job j JOIN tenant t ON j.tenant_id = t.tenant_id
         WHERE j.open_rows > 0 AND position(${parts.value(JSON.stringify(id))} IN j.moving) > 0`,
      )
    }
    return sources
  }

  #aboutJobs(is: string): string[] {
    const s = this.#s
    return [
      this.#jobLog(is),
      `SELECT f.log FROM ${s}.refusal f JOIN tenant t ON f.tenant_id = t.tenant_id WHERE f.job_id ${is}`,
    ]
  }

  #aboutDocument(parts: SqlParts, doc_id: string): string[] {
    const s = this.#s
    const id = parts.value(doc_id)
    const jobs = `FROM ${s}.job j JOIN tenant t ON j.tenant_id = t.tenant_id`
    return [
      `SELECT r.log FROM ${s}.record r JOIN tenant t ON r.tenant_id = t.tenant_id WHERE r.kind = 'document' AND r.id = ${id}`,
      `SELECT f.log FROM ${s}.refusal f JOIN tenant t ON f.tenant_id = t.tenant_id WHERE f.kind = 'document' AND f.id = ${id}`,
      `SELECT j.log ${jobs} WHERE j.doc_id = ${id}`,
      `SELECT f.log ${jobs} JOIN ${s}.refusal f ON f.tenant_id = j.tenant_id AND f.job_id = j.job_id WHERE j.doc_id = ${id}`,
    ]
  }

  #jobLog(is: string): string {
    return `SELECT j.log FROM ${this.#s}.job j JOIN tenant t ON j.tenant_id = t.tenant_id WHERE j.job_id ${is}`
  }
}

const KINDS: readonly RecordKind[] = [...ALONE_KINDS, 'job', 'step', 'outbox']

type Span = Pick<ChunkSelect, 'from' | 'before' | 'seq' | 'isDescending'>

function orderOf({ isDescending }: Pick<ChunkSelect, 'isDescending'>): string {
  return isDescending ? 'l.first_seq DESC' : 'l.first_seq'
}

function tagged(parts: SqlParts, tags: readonly string[]): string | null {
  return tags.length === 0 ? null : `l.tags @> ${parts.value(textArray(tags))}::text[]`
}

function times(
  parts: SqlParts,
  { from, before }: { readonly from: number | undefined; readonly before: number | undefined },
): readonly (string | null)[] {
  return [
    from === undefined ? null : `l.last_at >= ${parts.value(bound(from))}`,
    before === undefined ? null : `l.first_at < ${parts.value(bound(before))}`,
  ]
}

/** Times are whole milliseconds, whatever was asked for. */
function bound(ms: number): number {
  return Math.max(-Number.MAX_SAFE_INTEGER, Math.min(Number.MAX_SAFE_INTEGER, Math.ceil(ms)))
}
