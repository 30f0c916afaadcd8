// Looking at jobs.
import { queryOptions } from '@tanstack/react-query'
import type { JobAction } from '../../../src/core/job/actions.ts'
import type { AttemptsTold } from '../../../src/core/job/attempts-told.ts'
import type { JobRecord, OutboxRecord, StepRecord } from '../../../src/core/job/record.ts'
import type { Why } from '../../../src/core/job/why.ts'
import type { Related } from '../../../src/ledger/related.ts'
import type { LogPiece } from '../../../src/orchestrator/logs/job-logs.ts'
import type { PageAnswer } from '../lists/pages.ts'
import { ask, path, type Query } from './client.ts'
import type { HistoryRecord } from './live.ts'

/** Whose, and which. */
export interface JobName {
  readonly tenant: string
  readonly id: string
}

const LISTED = [
  'tenant_id',
  'job_id',
  'state',
  'request_type',
  'protocol_id',
  'pipeline_name',
  'current_step_id',
  'current_step_index',
  'attempts_total',
  'doc_id',
  'run_id',
  'updated_at',
  'error_code',
  'error_message',
] as const

/** As much of a job as a list shows. */
export type JobRow = Pick<JobRecord, (typeof LISTED)[number]>

/** What jobs are narrowed down by; `state` is a list in one text. */
export interface JobFilters {
  readonly state?: string | undefined
  readonly q?: string | undefined
  readonly request_type?: string | undefined
  readonly run_id?: string | undefined
  readonly workstream_id?: string | undefined
  readonly doc_id?: string | undefined
  readonly protocol_id?: string | undefined
  readonly pipeline_name?: string | undefined
  readonly step_id?: string | undefined
}

const PAGE = 200
/** Who scrolls on wants many more: to find the place again takes the server longer than to read on. */
const NEXT_PAGE = 1000

export function listJobs(
  tenant: string,
  filters: JobFilters,
  after: string | undefined,
  signal: AbortSignal,
): Promise<PageAnswer<JobRow>> {
  const query = { ...filters, tenant_id: tenant, order: 'changed', direction: 'desc' }
  const limit = after === undefined ? PAGE : NEXT_PAGE
  return ask('/v1/jobs', { signal, query: { ...query, limit, fields: LISTED.join(), after } })
}

export type JobDetail = JobRecord & {
  readonly steps: readonly StepRecord[]
  readonly outbox: readonly OutboxRecord[]
}

/** Everything that is asked about one job begins with this; see `useJobNews`. */
export function jobKey({ tenant, id }: JobName): readonly string[] {
  return ['job', tenant, id]
}

function aboutJob<T>(job: JobName, part: string, signal?: AbortSignal, query: Query = {}): Promise<T> {
  return ask<T>(path(`/v1/jobs/{}${part}`, job.id), { signal, query: { ...query, tenant_id: job.tenant } })
}

export const jobQuery = (job: JobName) =>
  queryOptions({
    queryKey: [...jobKey(job), 'itself'],
    queryFn: ({ signal }) => aboutJob<JobDetail>(job, '', signal),
  })

/** What keeps a job may be others: the ones before it in line, a queue that is paused. */
export const whyQuery = (job: JobName) =>
  queryOptions({
    queryKey: [...jobKey(job), 'why'],
    queryFn: ({ signal }) => aboutJob<Why>(job, '/why', signal),
    meta: { topics: ['job', 'queue'] },
  })

export const actionsQuery = (job: JobName) =>
  queryOptions({
    queryKey: [...jobKey(job), 'actions'],
    queryFn: ({ signal }) => aboutJob<{ readonly items: readonly JobAction[] }>(job, '/actions', signal),
    select: ({ items }) => items,
  })

export const attemptsQuery = (job: JobName) =>
  queryOptions({
    queryKey: [...jobKey(job), 'attempts'],
    queryFn: ({ signal }) => aboutJob<AttemptsTold>(job, '/attempts', signal),
  })

/** The server looks through many jobs for it. */
const RELATED_MS = 10_000

export const relatedQuery = (job: JobName) =>
  queryOptions({
    queryKey: [...jobKey(job), 'related'],
    queryFn: ({ signal }) => aboutJob<Related>(job, '/related', signal),
    refetchInterval: RELATED_MS,
  })

/** What happened to it, the newest first. */
export function jobEvents(
  job: JobName,
  after: string | undefined,
  signal: AbortSignal,
): Promise<PageAnswer<HistoryRecord>> {
  return aboutJob(job, '/events', signal, { direction: 'desc', limit: PAGE, after })
}

/** Part of what it printed: from an offset on, or the last so many bytes. */
export function readLog(
  job: JobName,
  part: { readonly offset: number; readonly limit: number } | { readonly tail: number },
  signal?: AbortSignal,
): Promise<LogPiece> {
  return aboutJob(job, '/logs', signal, part)
}
