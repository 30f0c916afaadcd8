import { stepKey } from '../../core/aggregate.ts'
import type { StepRecord } from '../../core/job/record.ts'
import type { Machine } from '../../core/machine.ts'
import { stepMachine } from '../../core/machines/step.ts'
import { NearestPlaces } from '../nearest-places.ts'
import { comparePlaces, type Place } from '../place.ts'
import { changedAt, matchesFind } from '../query.ts'
import { decodeJob } from '../tables/job-codec.ts'
import type { Find, FoundStep, JobRow } from '../tables/tables.ts'
import { Clause, type FieldColumns, wantedOf, whereOf } from './clause.ts'
import type { Connection } from './connection.ts'
import { asksOnlyOpen } from './find-jobs.ts'
import { JOB_COLUMNS, jobRows } from './load.ts'
import { tenantsOf } from './small-reads.ts'
import { compareTexts } from './text-order.ts'

/** Jobs that are read at once, before others have their turn. */
const PAGE = 200

/** None of them has a column, except the job's id. */
const FIELDS: FieldColumns = {
  state: 'state',
  job_id: 'job_id',
  step_id: 'step_id',
  service: 'service',
  queue: 'queue',
}

type Turn = () => Promise<void>

interface Candidate extends FoundStep {
  readonly place: Place
}

/**
 * Steps are part of their job's row, so they are found by looking at jobs. The order of steps is nearly that of their jobs:
 * `a/x` comes after `a-b/x`, though job `a` comes before `a-b`.
 */
export async function findSteps(db: Connection, query: Find, turn: Turn): Promise<readonly FoundStep[]> {
  if (whereOf(query.where, FIELDS) === null) return []
  const found = query.order === 'changed' ? byTime(db, query, turn) : byId(db, query, turn)
  return (await found).map(({ job, step_index }) => ({ job, step_index }))
}

/** All of them pass by. */
async function byTime(db: Connection, query: Find, turn: Turn): Promise<readonly Candidate[]> {
  const { after, isDescending, limit } = query
  const nearest = new NearestPlaces<Candidate>(limit, isDescending)
  for (const tenant_id of tenantsAsked(db, query)) {
    for await (const job of jobsOf(db, { query, tenant_id, after: null, turn })) {
      for (const step of stepsOf(job, query)) {
        const { place } = step
        const isPast = after !== null && (isDescending ? -1 : 1) * comparePlaces(place, after) <= 0
        if (!isPast) nearest.add(place, step)
      }
    }
  }
  return nearest.values()
}

async function byId(db: Connection, query: Find, turn: Turn): Promise<readonly Candidate[]> {
  const found: Candidate[] = []
  for (const tenant_id of tenantsAsked(db, query)) {
    await findInTenant(db, query, { tenant_id, found, turn })
    if (found.length >= query.limit) break
  }
  return found.slice(0, query.limit)
}

async function findInTenant(
  db: Connection,
  query: Find,
  {
    tenant_id,
    found,
    turn,
  }: { readonly tenant_id: string; readonly found: Candidate[]; readonly turn: Turn },
): Promise<void> {
  const sign = query.isDescending ? -1 : 1
  const after = query.after?.tenant_id === tenant_id ? query.after.id : null
  const pending: Candidate[] = []
  const seen = new Set<string>()
  const add = (job: JobRow) => {
    if (seen.has(job.job_id)) return
    for (const step of stepsOf(job, query)) {
      if (after === null || sign * compareTexts(step.place.id, after) > 0) pending.push(step)
    }
  }
  /** Jobs that come out of order: their id is the beginning of this one. */
  const addBeginnings = (id: string) => {
    for (const beginning of beginningsOf(id)) {
      if (seen.has(beginning)) continue
      for (const job of jobsAt(db, query, tenant_id, beginning)) add(job)
      seen.add(beginning)
    }
  }
  /** Whatever comes now comes after this id. */
  const settle = (id: string | null) => {
    if (pending.length === 0) return
    pending.sort((a, b) => sign * compareTexts(a.place.id, b.place.id))
    const isOpen = ({ place }: Candidate) => id !== null && sign * compareTexts(place.id, id) >= 0
    const count = pending.findIndex(isOpen)
    found.push(...pending.splice(0, count === -1 ? pending.length : count))
  }
  if (after !== null && !query.isDescending) addBeginnings(after)
  for await (const job of jobsOf(db, { query, tenant_id, after, turn })) {
    if (!query.isDescending) settle(job.job_id)
    else addBeginnings(job.job_id)
    add(job)
    if (query.isDescending) settle(job.job_id)
    if (found.length >= query.limit) return
  }
  settle(null)
}

/** Beginnings of an id whose steps may come after it: `/` is not less than what follows. */
function beginningsOf(id: string): readonly string[] {
  const beginnings: string[] = []
  for (let end = 1; end < id.length; end++) if (id.charCodeAt(end) <= SLASH) beginnings.push(id.slice(0, end))
  return beginnings
}

const SLASH = '/'.charCodeAt(0)

interface JobsAsked {
  readonly query: Find
  readonly tenant_id: string
  readonly after: string | null
  readonly turn: Turn
}

/** Jobs that may have such a step, in the order of their ids. */
async function* jobsOf(db: Connection, { query, tenant_id, after, turn }: JobsAsked): AsyncGenerator<JobRow> {
  const { isDescending } = query
  let last = after
  let isFirst = true
  for (;;) {
    const clause = clauseOf(query, tenant_id)
    const beyond = isDescending ? '<' : isFirst ? '>=' : '>'
    if (last !== null) clause.add(`job_id ${beyond} ?`, last)
    const way = isDescending ? 'DESC' : 'ASC'
    const sql = `SELECT ${JOB_COLUMNS} FROM job ${clause.sql} ORDER BY job_id ${way} LIMIT ${PAGE}`
    const page = jobRows(db, sql, ...clause.values)
    yield* page
    if (page.length < PAGE) return
    last = page.at(-1)?.job_id ?? null
    isFirst = false
    await turn()
  }
}

function jobsAt(db: Connection, query: Find, tenant_id: string, job_id: string): readonly JobRow[] {
  const clause = clauseOf(query, tenant_id).add('job_id = ?', job_id)
  return jobRows(db, `SELECT ${JOB_COLUMNS} FROM job ${clause.sql}`, ...clause.values)
}

/** What the texts must hold somewhere is looked for before they are read. */
function clauseOf(query: Find, tenant_id: string): Clause {
  const clause = new Clause().add('tenant_id = ?', tenant_id)
  if (asksOnlyOpen(query, stepMachine as Machine<string>)) clause.add('ended_state IS NULL')
  const ids = wantedOf(query.where, 'job_id')
  if (ids !== undefined) clause.addAny('job_id', ids)
  for (const field of ['step_id', 'service', 'queue'] as const) addText(clause, wantedOf(query.where, field))
  addText(clause, wantedOf(query.where, 'state'))
  return clause
}

function addText(clause: Clause, wanted: readonly string[] | undefined): void {
  if (wanted === undefined) return
  clause.add(
    `EXISTS (SELECT 1 FROM json_each(?) AS wanted
             WHERE instr(moving, wanted.value) > 0 OR instr(fixed, wanted.value) > 0)`,
    JSON.stringify(wanted.map((text) => JSON.stringify(text))),
  )
}

function stepsOf(job: JobRow, query: Find): readonly Candidate[] {
  const { steps } = decodeJob(job).aggregate
  return steps.flatMap((step, step_index): readonly Candidate[] =>
    matchesFind(step, { ...query, kind: 'step', after: undefined })
      ? [{ job, step_index, place: placeOf(step, query) }]
      : [],
  )
}

function placeOf(step: StepRecord, { order }: Find): Place {
  const { tenant_id, job_id, step_id } = step
  return { at: order === 'changed' ? changedAt(step) : 0, tenant_id, id: stepKey(job_id, step_id) }
}

/** In order, from the one on at which the last page ended. */
function tenantsAsked(db: Connection, { tenant_id, after, order, isDescending }: Find): readonly string[] {
  if (tenant_id !== undefined) return [tenant_id]
  const sign = isDescending ? -1 : 1
  const all = tenantsOf(db).toSorted((a, b) => sign * compareTexts(a, b))
  if (after === null || order === 'changed') return all
  return all.filter((tenant) => sign * compareTexts(tenant, after.tenant_id) >= 0)
}
