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
import { JOB_COLUMNS, jobOf, type RawJob } from './rows.ts'
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

export async function findSteps(s: string, find: Find, read: Read): Promise<readonly FoundStep[]> {
  const found: FoundStep[] = []
  const isOfFew = find.order !== 'id' || find.where?.job_id !== undefined
  let { after } = find
  for (let jobs = Math.max(FIRST_JOBS, find.limit); ; jobs = Math.min(4 * jobs, MOST_JOBS)) {
    const page = { ...find, after, limit: find.limit - found.length }
    const until = isOfFew ? null : await lastOf(s, page, jobs, read)
    const query = stepsQuery(s, page, isOfFew ? undefined : until)
    if (query === null) return found
    const rows = await read<RawJob & { readonly step_index: number }>(query)
    for (const row of rows) found.push({ job: jobOf(row), step_index: row.step_index })
    if (until === null || found.length >= find.limit) return found
    after = until
  }
}

/** The last of so many jobs; null when there are not so many. */
async function lastOf(s: string, find: Find, jobs: number, read: Read): Promise<Place | null> {
  const parts = new SqlParts()
  const where = all([...ofJobs(parts, find), beyond(parts, find.after, find.isDescending)])
  const order = find.isDescending ? 'j.tenant_id DESC, j.job_id DESC' : 'j.tenant_id, j.job_id'
  const text = `SELECT j.tenant_id, j.job_id AS id FROM ${s}.job j WHERE ${where} ORDER BY ${order}
    OFFSET ${parts.value(jobs - 1)} LIMIT 1`
  const [last] = await read<{ tenant_id: string; id: string }>({ text, values: parts.values })
  return last === undefined ? null : { at: 0, ...last }
}

/** With `until`, only steps up to there: undefined looks at all jobs at once, null at all that are left. */
function stepsQuery(s: string, find: Find, until: Place | null | undefined): Query | null {
  const parts = new SqlParts()
  const where = conditions(parts, find, STEP_FIELDS, STEP_PLACE)
  if (where === null) return null
  const ofJob = ofJobs(parts, find)
  const jobs = (condition: string | null) =>
    `SELECT ${JOB_COLUMNS} FROM ${s}.job j WHERE ${all([...ofJob, condition])}`
  const from = until === undefined ? [jobs(null)] : rangeOf(parts, find, until).map(jobs)
  const than = find.isDescending ? '>=' : '<='
  const bound =
    until == null
      ? null
      : `(j.tenant_id, ${STEP_PLACE.id}) ${than} (${parts.value(until.tenant_id)}::text, ${parts.value(until.id)}::text)`
  const text = `
SELECT ${JOB_COLUMNS}, s.step_index FROM (${from.join(' UNION ALL ')}) AS j
CROSS JOIN LATERAL ${s}.steps_of(j.fixed, j.moving) AS s
WHERE ${all([where, bound])} ORDER BY ${orderOf(find, STEP_PLACE)} LIMIT ${parts.value(find.limit)}`
  return { text, values: parts.values }
}

/** What has to be true of jobs. Steps that are not over are in jobs that are not: there are few of those. */
function ofJobs(parts: SqlParts, find: Find): readonly (string | null)[] {
  const isOpen = wantedStates(find, stepMachine).every((state) => !isTerminal(stepMachine, state as never))
  return [
    find.tenant_id === undefined ? null : `j.tenant_id = ${parts.value(find.tenant_id)}`,
    isOpen ? 'j.ended_state IS NULL' : null,
  ]
}

/** The jobs between two places, and those before them whose steps may be there. */
function rangeOf(parts: SqlParts, find: Find, until: Place | null): readonly string[] {
  const { after, isDescending } = find
  const end =
    until === null
      ? null
      : `(j.tenant_id, j.job_id) ${isDescending ? '>=' : '<='} (${parts.value(until.tenant_id)}::text, ${parts.value(until.id)}::text)`
  const ranges = [all([beyond(parts, after, isDescending), end])]
  const before = isDescending ? until : after
  if (before !== null) {
    const names = beginningsOf(before.id).slice(0, isDescending ? -1 : undefined)
    ranges.push(
      `j.tenant_id = ${parts.value(before.tenant_id)} AND j.job_id = ANY (${parts.value(textArray(names))}::text[])`,
    )
  }
  return ranges
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
