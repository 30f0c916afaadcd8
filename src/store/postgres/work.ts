// Looking for work. Groups of ready work are found by jumping from one to the next in the index, however many pieces
// each has. Whoever takes work locks the rows of the jobs and nothing else, and passes over those that others hold: the lists
// may be older than the jobs by then, which does no harm.
import { nameOfKey } from '../../core/aggregate.ts'
import type { JobRow, NextSelect, ReadySelect, TakeWork } from '../tables/tables.ts'
import { textArray } from './binary-array.ts'
import type { Query } from './link.ts'
import { jobColumns, jobOf, type RawJob } from './rows.ts'

/** More than anybody wants to be shown. */
const NO_MOST = 2 ** 31 - 1

export class WorkQueries {
  readonly #s: string

  constructor(schema: string) {
    this.#s = schema
  }

  heads(select: ReadySelect): Query {
    return this.#ready(select, '')
  }

  /** The rows of each group, each with which of the groups it is of. */
  after({ after, each }: NextSelect): Query {
    const s = this.#s
    const text = `
SELECT p.nth, w.* FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[], $5::text[], $6::bigint[])
  WITH ORDINALITY AS p(queue, tenant_id, grp, rank, job_id, before, nth)
CROSS JOIN LATERAL (
  SELECT f.* FROM (
    SELECT r.tenant_id, r.job_id, r.rank FROM ${s}.ready r
    WHERE r.queue = p.queue AND r.tenant_id = p.tenant_id AND r.grp = p.grp
      AND (r.rank, r.job_id) > (p.rank, p.job_id) AND r.rank < p.before
    ORDER BY r.rank, r.job_id LIMIT $7
  ) AS r CROSS JOIN LATERAL (
    SELECT ${jobColumns(s)} FROM ${s}.job j WHERE j.tenant_id = r.tenant_id AND j.job_id = r.job_id LIMIT 1
  ) AS f
  ORDER BY r.rank, r.job_id
) AS w`
    const texts = (column: (place: NextSelect['after'][number]) => string) => textArray(after.map(column))
    const numbers = (column: (place: NextSelect['after'][number]) => number) =>
      after.map((place) => Math.min(column(place), Number.MAX_SAFE_INTEGER))
    const values = [
      texts(({ queue }) => queue),
      texts(({ tenant_id }) => tenant_id),
      texts(({ group }) => group),
      numbers(({ rank }) => rank),
      texts(({ job_id }) => job_id),
      numbers(({ before }) => before),
      each,
    ]
    return { name: 'heads-after', text, values }
  }

  take(select: TakeWork): Query {
    switch (select.what) {
      case 'ready':
        return this.#ready(select, LOCK)
      case 'due':
        return this.#due(select)
      case 'signalled':
        return this.#signalled(select)
      case 'inbox':
        return this.#inbox(select)
    }
  }

  /** With `most`, each group is shown fewer, but always one. */
  #ready({ queues, perGroup, most = NO_MOST, tenants }: ReadySelect, lock: string): Query {
    const s = this.#s
    const text = `
WITH groups AS MATERIALIZED (
  SELECT q.queue, q.place, g.tenant_id, g.grp
  FROM unnest($1::text[]) WITH ORDINALITY AS q(queue, place)
  ${tenants === undefined ? this.#groups() : this.#groupsOfTenants()}
), share AS MATERIALIZED (
  SELECT greatest(1, least($2::bigint, $3::bigint / greatest(count(*), 1))) AS each FROM groups
)
SELECT w.* FROM groups g CROSS JOIN LATERAL (
  SELECT ${jobColumns(s)} FROM ${s}.ready r JOIN ${s}.job j ON j.tenant_id = r.tenant_id AND j.job_id = r.job_id
  WHERE r.queue = g.queue AND r.tenant_id = g.tenant_id AND r.grp = g.grp
  ORDER BY r.rank, r.job_id LIMIT (SELECT each FROM share) ${lock}
) AS w`
    const name = lock === '' ? 'heads' : 'take-ready'
    const values = [textArray(queues), perGroup, most]
    if (tenants === undefined) return { name, text, values }
    return { name: `${name}-of-tenants`, text, values: [...values, textArray(tenants)] }
  }

  #groups(): string {
    const next = (after: string) => `SELECT r.tenant_id, r.grp FROM ${this.#s}.ready r
      WHERE r.queue = q.queue ${after} ORDER BY r.tenant_id, r.grp LIMIT 1`
    return `CROSS JOIN LATERAL (
    WITH RECURSIVE g AS (
      (${next('')})
      UNION ALL
      SELECT n.tenant_id, n.grp FROM g CROSS JOIN LATERAL
        (${next('AND (r.tenant_id, r.grp) > (g.tenant_id, g.grp)')}) AS n
    ) SELECT tenant_id, grp FROM g
  ) AS g`
  }

  #groupsOfTenants(): string {
    const next = (after: string) => `SELECT r.tenant_id, r.grp FROM ${this.#s}.ready r
      WHERE r.queue = q.queue AND r.tenant_id = t.tenant_id ${after} ORDER BY r.grp LIMIT 1`
    return `CROSS JOIN unnest($4::text[]) AS t(tenant_id) CROSS JOIN LATERAL (
    WITH RECURSIVE g AS (
      (${next('')})
      UNION ALL
      SELECT n.tenant_id, n.grp FROM g CROSS JOIN LATERAL (${next('AND r.grp > g.grp')}) AS n
    ) SELECT tenant_id, grp FROM g
  ) AS g`
  }

  #due({ limit, now }: { readonly limit: number; readonly now: number }): Query {
    const s = this.#s
    const text = `
SELECT ${jobColumns(s)} FROM ${s}.due d JOIN ${s}.job j ON j.tenant_id = d.tenant_id AND j.job_id = d.job_id
WHERE d.due_at <= $1 ORDER BY d.due_at, d.tenant_id, d.job_id LIMIT $2 ${LOCK}`
    return { name: 'take-due', text, values: [now, limit] }
  }

  #signalled({ limit }: { readonly limit: number }): Query {
    const s = this.#s
    const text = `
SELECT t.*, (SELECT array_agg(o.id ORDER BY o.id) FROM ${s}.owed o
  WHERE o.tenant_id = t.tenant_id AND o.job_id = t.job_id) AS owed
FROM (
  SELECT ${jobColumns(s)} FROM ${s}.owed o JOIN ${s}.job j ON j.tenant_id = o.tenant_id AND j.job_id = o.job_id
  ORDER BY o.id LIMIT $1 ${LOCK}
) AS t`
    return { name: 'take-signalled', text, values: [limit] }
  }

  #inbox({ limit }: { readonly limit: number }): Query {
    const text = `SELECT b.id AS request_id, b.body FROM ${this.#s}.inbox b WHERE b.answer IS NULL
ORDER BY b.id LIMIT $1 FOR UPDATE SKIP LOCKED`
    return { name: 'take-inbox', text, values: [limit] }
  }
}

const LOCK = 'FOR UPDATE OF j SKIP LOCKED'

export type TakenRow =
  | (RawJob & { readonly owed?: readonly number[] | null })
  | { readonly request_id: number; readonly body: string }

export type NextRow = RawJob & { readonly nth: number }

/** The rows of so many groups. */
export function nextOf(rows: readonly NextRow[], groups: number): readonly (readonly JobRow[])[] {
  const found: JobRow[][] = Array.from({ length: groups }, () => [])
  for (const row of rows) found[row.nth - 1]?.push(jobOf(row))
  return found
}

export interface Taken {
  readonly jobs: readonly JobRow[]
  readonly requests: readonly { readonly id: number; readonly body: string }[]
  readonly delivered: ReadonlyMap<string, readonly number[]>
}

/** Each job once. */
export function takenOf(rows: readonly TakenRow[]): Taken {
  const jobs = new Map<string, JobRow>()
  const delivered = new Map<string, readonly number[]>()
  const requests: { readonly id: number; readonly body: string }[] = []
  for (const row of rows) {
    if ('request_id' in row) {
      requests.push({ id: row.request_id, body: row.body })
      continue
    }
    const name = nameOfKey({ kind: 'job', tenant_id: row.tenant_id, id: row.job_id })
    if (jobs.has(name)) continue
    jobs.set(name, jobOf(row))
    if (row.owed != null) delivered.set(name, row.owed)
  }
  return { jobs: [...jobs.values()], requests, delivered }
}
