import { ALONE_KINDS } from '../../core/aggregate.ts'
import type { RecordKind } from '../../core/machines/all.ts'
import type { About, ChunkSelect, SketchSelect } from '../tables/tables.ts'
import { bigintArray, textArray } from './binary-array.ts'
import type { Query } from './link.ts'
import { all, SqlParts } from './sql-parts.ts'

/** Questions about the history. */
export class LogQueries {
  readonly #s: string

  constructor(schema: string) {
    this.#s = schema
  }

  chunks({ ids, tags, from, before, seq, isDescending, limit }: ChunkSelect): Query {
    const parts = new SqlParts()
    const log = `${this.#s}.log`
    const place = parts.value(seq)
    // A part may begin before the place and reach beyond it.
    const begin = `SELECT b.first_seq FROM ${log} b WHERE b.first_seq <= ${place} ORDER BY b.first_seq DESC LIMIT 1`
    const where = all([
      isDescending
        ? `l.first_seq < ${place}`
        : `l.first_seq >= COALESCE((${begin}), 0) AND l.first_seq + l.places > ${place}::bigint + 1`,
      this.#kept(),
      ids === undefined ? null : `l.chunk_id = ANY (${parts.value(bigintArray(ids))}::bigint[])`,
      tags.length === 0 ? null : `l.tags @> ${parts.value(textArray(tags))}::text[]`,
      ...times(parts, { from, before }),
    ])
    const order = isDescending ? 'DESC' : 'ASC'
    const text = `SELECT l.first_seq, l.entries FROM ${log} l WHERE ${where} ORDER BY l.first_seq ${order} LIMIT ${parts.value(limit)}`
    return { text, values: parts.values }
  }

  sketches({ from, before, after, limit }: SketchSelect): Query {
    const parts = new SqlParts()
    const where = all([
      `l.first_seq > ${parts.value(after)}`,
      this.#kept(),
      ...times(parts, { from, before }),
    ])
    const text = `SELECT l.first_seq, l.first_at, l.last_at, l.sketch FROM ${this.#s}.log l
      WHERE ${where} ORDER BY l.first_seq LIMIT ${parts.value(limit)}`
    return { text, values: parts.values }
  }

  /** What is to be removed is gone for everybody as soon as the head says so. */
  #kept(): string {
    return `l.first_seq > (SELECT h.removed FROM ${this.#s}.head h)`
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
