// Steps are in the rows of their jobs, which are sorted by the ids of jobs. A step's own id is `job/step`, and other jobs may
// come between a job and its steps: `a`, then `a!`, then `a!/step`, then `a/step`. So steps are read off some jobs at a time,
// and only those count that no other job can come before: up to the last of these jobs. Jobs whose steps come
// later than they do themselves are those whose id the place begins with; they are looked at once more.
import { isTerminal } from '../../core/machine.ts'
import { stepMachine } from '../../core/machines/step.ts'
import type { Place } from '../place.ts'
import type { Find, FoundStep } from '../tables/tables.ts'
import { textArray } from './binary-array.ts'
import { type Columns, conditions, orderOf, type Placed, wantedStates } from './find-parts.ts'
import type { Query } from './link.ts'
import { fixedOf, jobColumns, jobOf, type RawJob } from './rows.ts'
import { all, SqlParts } from './sql-parts.ts'

/** Jobs whose steps are read at a time, ever more of them as long as too few match. */
const FIRST_JOBS = 100
const MOST_JOBS = 5000

const STEP_FIELDS: Columns = {
  state: 's.state',
  job_id: 'j.job_id',
  step_id: 's.step_id',
  service: 's.service',
  queue: 's.queue',
}

const STEP_PLACE: Placed = {
  at: 's.changed_at',
  tenant: 'j.tenant_id',
  id: `(j.job_id || '/' || s.step_id) COLLATE "C"`,
}

type Read = <R extends object>(query: Query) => Promise<readonly R[]>

type Row = (RawJob | { readonly job_id: null }) & {
  readonly step_index: number
  readonly until_tenant: string | null
  readonly until_id: string
}

export async function findSteps(s: string, find: Find, read: Read): Promise<readonly FoundStep[]> {
  const found: FoundStep[] = []
  const isOfFew = find.order !== 'id' || find.where?.job_id !== undefined
  let { after } = find
  for (let jobs = Math.max(FIRST_JOBS, find.limit); ; jobs = Math.min(4 * jobs, MOST_JOBS)) {
    const page = { ...find, after, limit: find.limit - found.length }
    const query = isOfFew ? fewQuery(s, page) : pageQuery(s, page, jobs)
    const rows = query === null ? [] : await read<Row>(query)
    for (const row of rows) {
      if (row.job_id !== null) found.push({ job: jobOf(row), step_index: row.step_index })
    }
    const [first] = rows
    if (first?.until_tenant == null || found.length >= find.limit) return found
    after = { at: 0, tenant_id: first.until_tenant, id: first.until_id }
  }
}

/** All jobs at once: few have been asked for, or all have to be sorted anyway. */
function fewQuery(s: string, find: Find): Query | null {
  const parts = new SqlParts()
  const where = conditions(parts, find, STEP_FIELDS, STEP_PLACE)
  if (where === null) return null
  const text = `
SELECT ${jobColumns(s)}, s.step_index FROM ${s}.job j CROSS JOIN LATERAL ${s}.steps_of(${fixedOf(s)}, j.moving) AS s
WHERE ${all([where, ofJobs(parts, find)])}
ORDER BY ${orderOf(find, STEP_PLACE)} LIMIT ${parts.value(find.limit)}`
  return { text, values: parts.values }
}

/** The steps up to the last of so many jobs, and which that is, if there were so many. */
function pageQuery(s: string, find: Find, jobs: number): Query | null {
  const { after, isDescending } = find
  const parts = new SqlParts()
  const where = conditions(parts, find, STEP_FIELDS, STEP_PLACE)
  if (where === null) return null
  const of = ofJobs(parts, find)
  const most = parts.value(jobs)
  const order = isDescending ? 'j.tenant_id DESC, j.job_id DESC' : 'j.tenant_id, j.job_id'
  const from = `SELECT ${jobColumns(s)} FROM ${s}.job j`
  const others = isDescending
    ? // Jobs before the last one whose steps come after it.
      `${from} JOIN (SELECT l.tenant_id, left(l.job_id, n) AS job_id FROM last l, generate_series(1, length(l.job_id) - 1) AS n)
       AS b ON j.tenant_id = b.tenant_id AND j.job_id = b.job_id WHERE ${of}`
    : after === null
      ? null
      : `${from} WHERE ${of} AND j.tenant_id = ${parts.value(after.tenant_id)}
       AND j.job_id = ANY (${parts.value(textArray(beginningsOf(after.id)))}::text[])`
  const text = `
WITH page AS MATERIALIZED (${from} WHERE ${all([of, beyond(parts, after, isDescending)])} ORDER BY ${order} LIMIT ${most}),
last AS MATERIALIZED (SELECT j.tenant_id, j.job_id FROM page j ORDER BY ${order} OFFSET ${most}::bigint - 1 LIMIT 1),
step AS (
  SELECT j.*, s.step_index, ${STEP_PLACE.id} AS id
  FROM (SELECT * FROM page ${others === null ? '' : `UNION ALL ${others}`}) AS j
  CROSS JOIN LATERAL ${s}.steps_of(j.fixed, j.moving) AS s LEFT JOIN last l ON true
  WHERE ${where} AND (l.job_id IS NULL OR (j.tenant_id, ${STEP_PLACE.id}) ${isDescending ? '>=' : '<='} (l.tenant_id, l.job_id))
  ORDER BY ${orderOf(find, STEP_PLACE)} LIMIT ${parts.value(find.limit)}
)
SELECT step.*, last.tenant_id AS until_tenant, last.job_id AS until_id
FROM (SELECT 1) AS one LEFT JOIN last ON true LEFT JOIN step ON true
ORDER BY ${orderOf(find, { at: '', tenant: 'step.tenant_id', id: 'step.id' })}`
  return { text, values: parts.values }
}

/** What has to be true of jobs. Steps that are not over are in jobs that are not: there are few of those. */
function ofJobs(parts: SqlParts, find: Find): string {
  const isOpen = wantedStates(find, stepMachine).every((state) => !isTerminal(stepMachine, state as never))
  return all([
    find.tenant_id === undefined ? null : `j.tenant_id = ${parts.value(find.tenant_id)}`,
    isOpen ? 'j.ended_state IS NULL' : null,
  ])
}

function beyond(parts: SqlParts, after: Place | null, isDescending: boolean): string | null {
  if (after === null) return null
  const than = isDescending ? '<' : '>'
  return `(j.tenant_id, j.job_id) ${than} (${parts.value(after.tenant_id)}::text, ${parts.value(after.id)}::text)`
}

/** All that it begins with, and itself. */
function beginningsOf(id: string): readonly string[] {
  return Array.from({ length: id.length }, (_, index) => id.slice(0, index + 1)).filter((name) =>
    name.isWellFormed(),
  )
}
