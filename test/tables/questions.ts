// What is asked of a ledger all the time, for the tests that look at how databases with a million rows in every large table go
// about it. The rows that the questions are about are described in `million`.

import type { Place } from '../../src/store/place.ts'
import type { AuditQuery, FindQuery } from '../../src/store/query.ts'
import { tagsOf } from '../../src/store/tables/chunk-tags.ts'
import type { About, ChunkSelect } from '../../src/store/tables/log-parts.ts'
import type { Find } from '../../src/store/tables/tables.ts'
import { documentOf, FIRST_AT, jobOf, OPEN_JOBS, ROWS, rowOf, runOf, STEP_MS, tenantOf } from './million.ts'

export const PAGE = 100

/** How much may be looked at: about as much as is answered, or all that is open. */
export type Effort = 'page' | 'open'

export const MOST_ROWS: { readonly [effort in Effort]: number } = { page: 40 * PAGE, open: 3 * OPEN_JOBS }

export interface FindQuestion {
  readonly name: string
  readonly find: Find
  readonly kind: FindQuery['kind']
  readonly effort: Effort
}

type Asked = Omit<FindQuery, 'after'> & { readonly after?: Place; readonly effort?: Effort }

function findQuestion(name: string, { effort = 'page', ...query }: Asked): FindQuestion {
  const find: Find = {
    tenant_id: query.tenant_id,
    where: query.where,
    changedFrom: query.changedFrom,
    changedBefore: query.changedBefore,
    order: query.order ?? 'id',
    isDescending: query.direction === 'desc',
    after: query.after ?? null,
    limit: PAGE + 1,
  }
  return { name, find, kind: query.kind, effort }
}

const MIDDLE = ROWS / 2
const MIDDLE_AT = FIRST_AT + MIDDLE * STEP_MS
const tenant = tenantOf(MIDDLE)
const afterJob: Place = { at: MIDDLE_AT, tenant_id: tenant, id: jobOf(MIDDLE) }
const newest = { order: 'changed', direction: 'desc' } as const

export const FIND_QUESTIONS: readonly FindQuestion[] = [
  findQuestion('jobs', { kind: 'job' }),
  findQuestion('jobs from the middle on', { kind: 'job', after: afterJob }),
  findQuestion('jobs of a tenant, last first', { kind: 'job', tenant_id: 't3', direction: 'desc' }),
  findQuestion('a job by its id', { kind: 'job', tenant_id: tenant, where: { job_id: jobOf(MIDDLE) } }),
  findQuestion('a job by its id, whoever has it', { kind: 'job', where: { job_id: jobOf(MIDDLE) } }),
  findQuestion('jobs of a document', {
    kind: 'job',
    tenant_id: tenant,
    where: { doc_id: documentOf(MIDDLE / 2) },
  }),
  findQuestion('jobs of a document, whoever has them', {
    kind: 'job',
    where: { doc_id: documentOf(MIDDLE / 2) },
  }),
  findQuestion('jobs of a run', { kind: 'job', tenant_id: tenant, where: { run_id: runOf(MIDDLE / 200) } }),
  findQuestion('jobs of a run, newest first', {
    kind: 'job',
    where: { run_id: runOf(MIDDLE / 200) },
    ...newest,
  }),
  findQuestion('jobs that are open', {
    kind: 'job',
    where: { state: ['QUEUED', 'DISPATCHING', 'IN_PROGRESS', 'CANCELLING'] },
  }),
  findQuestion('jobs in progress', { kind: 'job', where: { state: 'IN_PROGRESS' }, effort: 'open' }),
  findQuestion('jobs that are being cancelled', {
    kind: 'job',
    where: { state: 'CANCELLING' },
    effort: 'open',
  }),
  findQuestion('jobs that succeeded', { kind: 'job', where: { state: 'SUCCEEDED' } }),
  findQuestion('jobs that were cancelled, of which there are few', {
    kind: 'job',
    where: { state: 'CANCELLED' },
  }),
  findQuestion('jobs, last changed first', { kind: 'job', ...newest, effort: 'open' }),
  findQuestion('jobs that failed, last changed first', {
    kind: 'job',
    where: { state: 'FAILED_FINAL' },
    ...newest,
  }),
  findQuestion('jobs that ended in some minutes', {
    kind: 'job',
    where: { state: ['SUCCEEDED', 'FAILED_FINAL', 'CANCELLED'] },
    order: 'changed',
    changedFrom: MIDDLE_AT,
    changedBefore: MIDDLE_AT + 50 * STEP_MS,
  }),
  findQuestion('jobs that ended, from the middle on', {
    kind: 'job',
    where: { state: ['SUCCEEDED', 'FAILED_FINAL', 'CANCELLED'] },
    order: 'changed',
    after: afterJob,
  }),
  findQuestion('documents', { kind: 'document' }),
  findQuestion('documents from the middle on', {
    kind: 'document',
    after: { ...afterJob, id: documentOf(MIDDLE) },
  }),
  findQuestion('a document by its id', {
    kind: 'document',
    tenant_id: tenant,
    where: { doc_id: documentOf(MIDDLE) },
  }),
  findQuestion('a document by its id, whoever has it', {
    kind: 'document',
    where: { doc_id: documentOf(MIDDLE) },
  }),
  findQuestion('documents that are completed', { kind: 'document', where: { state: 'completed' } }),
  findQuestion('documents that failed, of which there are few', {
    kind: 'document',
    where: { state: 'failed' },
  }),
  findQuestion('documents, last changed first', { kind: 'document', ...newest }),
  findQuestion('documents that stay in a state for too long', {
    kind: 'document',
    where: { state: 'fetching' },
    order: 'changed',
    changedBefore: MIDDLE_AT,
  }),
  findQuestion('documents in the order of change, from the middle on', {
    kind: 'document',
    order: 'changed',
    after: { ...afterJob, id: documentOf(MIDDLE) },
  }),
  findQuestion('steps', { kind: 'step' }),
  findQuestion('steps from the middle on', { kind: 'step', after: { ...afterJob, id: `${afterJob.id}/s1` } }),
  findQuestion('steps of a job', { kind: 'step', tenant_id: tenant, where: { job_id: jobOf(MIDDLE) } }),
  findQuestion('steps of a job, whoever has it', { kind: 'step', where: { job_id: jobOf(MIDDLE) } }),
  findQuestion('steps that are in progress', {
    kind: 'step',
    where: { state: 'IN_PROGRESS' },
    effort: 'open',
  }),
  findQuestion('outbox rows', { kind: 'outbox', effort: 'open' }),
  findQuestion('outbox rows of a job', {
    kind: 'outbox',
    tenant_id: tenant,
    where: { job_id: jobOf(MIDDLE) },
  }),
  findQuestion('outbox rows that are to be sent', {
    kind: 'outbox',
    where: { state: 'PENDING' },
    effort: 'open',
  }),
  findQuestion('outbox rows that failed, of which there are few', {
    kind: 'outbox',
    where: { state: 'FAILED_FINAL' },
  }),
  findQuestion('outbox rows, last changed first', { kind: 'outbox', ...newest, effort: 'open' }),
]

export interface AuditQuestion {
  readonly name: string
  readonly about: About | null
  readonly select: ChunkSelect
  /** Parts of the log that there are to be found. */
  readonly found: number
}

type AskedAudit = Omit<AuditQuery, 'after'> & { readonly after?: number; readonly found?: number }

const CHUNKS = 16

function auditQuestion(name: string, { found = CHUNKS, ...query }: AskedAudit): AuditQuestion {
  const { tenant_id, kind, id, job_id, doc_id, from, before } = query
  const isDescending = query.direction === 'desc'
  const isAbout = id !== undefined || job_id !== undefined || doc_id !== undefined
  return {
    name,
    about: isAbout ? { tenant_id, kind, id, job_id, doc_id } : null,
    select: {
      tags: tagsOf({ ...query, after: undefined }),
      from,
      before,
      seq: query.after ?? (isDescending ? Number.MAX_SAFE_INTEGER : 0),
      isDescending,
      limit: CHUNKS,
    },
    found,
  }
}

const LATE_AT = FIRST_AT + 0.95 * ROWS * STEP_MS
const EARLY_AT = FIRST_AT + 0.05 * ROWS * STEP_MS

export const AUDIT_QUESTIONS: readonly AuditQuestion[] = [
  auditQuestion('from the beginning', {}),
  auditQuestion('from the middle on', { after: ROWS }),
  auditQuestion('newest first', { direction: 'desc' }),
  auditQuestion('of a record', { found: 2, tenant_id: tenant, kind: 'document', id: documentOf(MIDDLE) }),
  auditQuestion('of whatever has an id', { found: 2, id: documentOf(MIDDLE) }),
  auditQuestion('of a step', { found: 2, kind: 'step', id: `${jobOf(MIDDLE)}/s1` }),
  auditQuestion('of an outbox row', { found: 2, tenant_id: tenant, kind: 'outbox', id: rowOf(MIDDLE) }),
  auditQuestion('of an outbox row, newest first', {
    found: 2,
    kind: 'outbox',
    id: rowOf(MIDDLE),
    direction: 'desc',
  }),
  auditQuestion('of a job', { found: 2, tenant_id: tenant, job_id: jobOf(MIDDLE) }),
  auditQuestion('of a job, whoever has it', { found: 2, job_id: jobOf(MIDDLE) }),
  auditQuestion('of a document and its jobs', {
    found: 3,
    tenant_id: tenant,
    doc_id: documentOf(MIDDLE / 2),
  }),
  auditQuestion('of a document and its jobs, whoever has them', {
    found: 5,
    doc_id: documentOf(MIDDLE / 2),
    direction: 'desc',
  }),
  auditQuestion('of a state that is everywhere', { state: 'SUCCEEDED' }),
  auditQuestion('of a state that is rare', { state: 'FAILED_FINAL' }),
  auditQuestion('of a state that is rare, newest first', { state: 'FAILED_FINAL', direction: 'desc' }),
  auditQuestion('of a state that never was', { state: 'NEVER', found: 0 }),
  auditQuestion('by an actor who did little', { actor: 'rare' }),
  auditQuestion('by an actor who did most', { actor: 'worker', tenant_id: 't1' }),
  auditQuestion('with an error', { error_type: 'BAD', direction: 'desc' }),
  auditQuestion('of a time late in it', { from: LATE_AT, before: LATE_AT + 20 * STEP_MS }),
  auditQuestion('from a time on', { from: LATE_AT }),
  auditQuestion('before a time, newest first', { before: EARLY_AT, direction: 'desc' }),
  auditQuestion('of a time early in it, newest first', {
    from: EARLY_AT,
    before: EARLY_AT + 20 * STEP_MS,
    direction: 'desc',
  }),
]

export const SKETCH_TIMES = { from: LATE_AT, before: LATE_AT + 500 * STEP_MS }
