import { nameOfKey } from '../../core/aggregate.ts'
import type { JobRow, NextSelect, ReadySelect, TakeWork } from '../tables/tables.ts'
import type { Connection, Value } from './connection.ts'
import { foldAll } from './fold.ts'
import { JOB_COLUMNS, jobRows, loadJob } from './load.ts'

export interface Taken {
  readonly jobs: readonly JobRow[]
  /** Signals that led to them, by the name of the job's key. */
  readonly delivered: ReadonlyMap<string, readonly number[]>
}

const NO_SIGNALS: ReadonlyMap<string, readonly number[]> = new Map()
const NOTHING: Taken = { jobs: [], delivered: NO_SIGNALS }

/** Within a transaction that writes. */
export function select(db: Connection, work: TakeWork): Taken {
  foldAll(db)
  if (work.what === 'ready') return { jobs: heads(db, work), delivered: NO_SIGNALS }
  if (work.what === 'due') return due(db, work)
  return work.what === 'signalled' ? signalled(db, work.limit) : NOTHING
}

/** Whether it is worth waiting for one's turn: most of the time there is nothing. */
export function hasWork(db: Connection, work: TakeWork): boolean {
  return countOfWork(db, work, 1) > 0
}

/** How much there is, up to so many. */
export function countOfWork(db: Connection, work: TakeWork, most: number): number {
  switch (work.what) {
    case 'ready':
      return work.queues.reduce((sum, queue) => sum + countReady(db, queue, work.tenants, most), 0)
    case 'due':
      return countOf(db, 'due WHERE due_at <= ?', most, work.now)
    case 'signalled':
      return countOf(db, 'owed', most)
    case 'inbox':
      // Nobody else's transaction can put a request here.
      return 0
  }
}

function countReady(
  db: Connection,
  queue: string,
  tenants: readonly string[] | undefined,
  most: number,
): number {
  if (tenants === undefined) return countOf(db, 'ready WHERE queue = ?', most, queue)
  const ofTenant = 'ready WHERE queue = ? AND tenant_id = ?'
  return tenants.reduce((sum, tenant_id) => sum + countOf(db, ofTenant, most, queue, tenant_id), 0)
}

export function countOf(db: Connection, rows: string, most: number, ...values: readonly Value[]): number {
  const sql = `SELECT count(*) AS n FROM (SELECT 1 FROM ${rows} LIMIT ?)`
  return db.get<{ n: number }>(sql, ...values, most)?.n ?? 0
}

function due(db: Connection, { now, limit }: { readonly now: number; readonly limit: number }): Taken {
  const sql = `
    SELECT ${JOB_COLUMNS} FROM (
      SELECT due_at, tenant_id, job_id FROM due WHERE due_at <= ? ORDER BY due_at, tenant_id, job_id LIMIT ?
    ) AS first JOIN job USING (tenant_id, job_id)
    ORDER BY first.due_at, tenant_id, job_id`
  return { jobs: jobRows(db, sql, now, limit), delivered: NO_SIGNALS }
}

interface Owed {
  readonly id: number
  readonly tenant_id: string
  readonly job_id: string
}

function signalled(db: Connection, limit: number): Taken {
  const jobs: JobRow[] = []
  const delivered = new Map<string, number[]>()
  for (const { id, tenant_id, job_id } of db.all<Owed>('SELECT * FROM owed ORDER BY id LIMIT ?', limit)) {
    const name = nameOfKey({ kind: 'job', tenant_id, id: job_id })
    const others = delivered.get(name)
    if (others !== undefined) {
      others.push(id)
      continue
    }
    const job = loadJob(db, tenant_id, job_id)
    if (job === null) continue
    delivered.set(name, [id])
    jobs.push(job)
  }
  return { jobs, delivered }
}

interface Group {
  readonly queue: string
  readonly tenant_id: string
  readonly grp: string
}

/** The first few of each group: fewer of each where there are many groups and `most` is enough in all. */
export function heads(db: Connection, { queues, perGroup, most, tenants }: ReadySelect): readonly JobRow[] {
  const groups = [...new Set(queues)].flatMap((queue) =>
    tenants === undefined
      ? groupsOf(db, queue)
      : tenants.flatMap((tenant) => groupsOfTenant(db, queue, tenant)),
  )
  const share = most === undefined ? perGroup : Math.ceil(most / Math.max(groups.length, 1))
  const each = Math.min(perGroup, Math.max(1, share))
  const sql = `
    SELECT ${JOB_COLUMNS} FROM (
      SELECT rank, tenant_id, job_id FROM ready
      WHERE queue = ? AND tenant_id = ? AND grp = ? ORDER BY rank, job_id LIMIT ?
    ) AS first JOIN job USING (tenant_id, job_id)
    ORDER BY first.rank, job_id`
  return groups.flatMap(({ queue, tenant_id, grp }) => jobRows(db, sql, queue, tenant_id, grp, each))
}

const AFTER = `
  SELECT ${JOB_COLUMNS} FROM (
    SELECT rank, tenant_id, job_id FROM ready
    WHERE queue = ? AND tenant_id = ? AND grp = ? AND (rank, job_id) > (?, ?) AND rank < ? ORDER BY rank, job_id LIMIT ?
  ) AS first JOIN job USING (tenant_id, job_id)
  ORDER BY first.rank, job_id`

/** What comes next in each group. */
export function headsAfter(db: Connection, { after, each }: NextSelect): readonly (readonly JobRow[])[] {
  return after.map(({ queue, tenant_id, group, rank, job_id, before }) =>
    jobRows(
      db,
      AFTER,
      queue,
      tenant_id,
      group,
      rank,
      job_id,
      Math.min(before, Number.MAX_SAFE_INTEGER),
      each,
    ),
  )
}

const NEXT_OF_TENANT = `
  SELECT queue, tenant_id, grp FROM ready WHERE queue = ? AND tenant_id = ? AND grp > ? ORDER BY grp LIMIT 1`

function groupsOfTenant(db: Connection, queue: string, tenant_id: string): readonly Group[] {
  const groups: Group[] = []
  let group = db.get<Group>(
    'SELECT queue, tenant_id, grp FROM ready WHERE queue = ? AND tenant_id = ? ORDER BY grp LIMIT 1',
    queue,
    tenant_id,
  )
  while (group !== undefined) {
    groups.push(group)
    group = db.get<Group>(NEXT_OF_TENANT, queue, tenant_id, group.grp)
  }
  return groups
}

/** From one group to the next along the index, past all that is in each. */
function groupsOf(db: Connection, queue: string): readonly Group[] {
  const groups: Group[] = []
  let group = db.get<Group>(
    'SELECT queue, tenant_id, grp FROM ready WHERE queue = ? ORDER BY tenant_id, grp LIMIT 1',
    queue,
  )
  while (group !== undefined) {
    groups.push(group)
    const { tenant_id, grp } = group
    group =
      db.get<Group>(NEXT_OF_TENANT, queue, tenant_id, grp) ??
      db.get<Group>(
        `SELECT queue, tenant_id, grp FROM ready
         WHERE queue = ? AND tenant_id > ? ORDER BY tenant_id, grp LIMIT 1`,
        queue,
        tenant_id,
      )
  }
  return groups
}
