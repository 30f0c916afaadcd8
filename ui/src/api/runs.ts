import { queryOptions } from '@tanstack/react-query'
import type { RunRecord } from '../../../src/core/group/run-record.ts'
import type { WorkstreamRecord } from '../../../src/core/group/workstream-record.ts'
import type { Overview } from '../../../src/ledger/overview.ts'
import type { PageAnswer } from '../lists/pages.ts'
import { change } from './change.ts'
import { ask, path } from './client.ts'
import type { HistoryRecord } from './live.ts'

export type { RunRecord, WorkstreamRecord }

export interface RunFilter {
  readonly tenant_id: string
  readonly state?: string | undefined
  readonly q?: string | undefined
}

export function runsPage(filter: RunFilter, after: string | undefined, signal: AbortSignal) {
  const query = { ...filter, order: 'changed', direction: 'desc', after }
  return ask<PageAnswer<RunRecord>>('/v1/runs', { query, signal })
}

/** How the last runs ended. */
export function lastRunsQuery(tenant: string) {
  return queryOptions({
    queryKey: ['last runs', tenant],
    queryFn: async ({ signal }) => {
      const { runs } = await ask<Pick<Overview, 'runs'>>('/v1/overview', {
        query: { tenant_id: tenant },
        signal,
      })
      return runs
    },
    meta: { topics: ['run'] },
  })
}

export function runQuery(tenant: string, id: string) {
  return queryOptions({
    queryKey: ['run', tenant, id],
    queryFn: ({ signal }) =>
      ask<RunRecord>(path('/v1/runs/{}', id), { query: { tenant_id: tenant }, signal }),
    meta: { topics: ['run'] },
  })
}

const MOST_WORKSTREAMS = 200

export function workstreamsOfRunQuery(tenant: string, run_id: string) {
  const query = { tenant_id: tenant, run_id, limit: MOST_WORKSTREAMS }
  return queryOptions({
    queryKey: ['workstreams of', tenant, run_id],
    queryFn: ({ signal }) => ask<PageAnswer<WorkstreamRecord>>('/v1/workstreams', { query, signal }),
    meta: { topics: ['workstream'] },
  })
}

const JOBS_COUNTED = 1000

/** How many of a run's jobs are in which state, as far as one page goes. Those of one that is over have ended, too. */
export function runJobCountsQuery({ tenant_id, run_id, completed_at }: RunRecord) {
  const query = { tenant_id, run_id, limit: JOBS_COUNTED, fields: 'state' }
  return queryOptions({
    queryKey: ['run job counts', tenant_id, run_id],
    queryFn: async ({ signal }) => {
      const { items, next } = await ask<PageAnswer<{ readonly state: string }>>('/v1/jobs', { query, signal })
      const counts: { [state: string]: number } = {}
      for (const { state } of items) counts[state] = (counts[state] ?? 0) + 1
      return { counts, count: items.length, is_more: next !== null }
    },
    meta: { topics: completed_at === null ? ['job'] : ['run'], restMs: 1000 },
  })
}

/** Small, because the server has to look for them. */
const HISTORY_PAGE = 50

export function runHistoryPage(
  tenant: string,
  run_id: string,
  after: string | undefined,
  signal: AbortSignal,
) {
  const query = { tenant_id: tenant, run_id, direction: 'desc', limit: HISTORY_PAGE, after }
  return ask<PageAnswer<HistoryRecord>>('/v1/audit', { query, signal })
}

interface RunChange {
  readonly run: RunRecord
  readonly reason: string
}

function changeRun(
  verb: 'move' | 'seal' | 'cancel',
  { run: { tenant_id, run_id, etag }, reason }: RunChange,
  body?: unknown,
) {
  const about = { tenant: tenant_id, reason, etag, ...(body === undefined ? null : { body }) }
  return change<RunRecord>(path(`/v1/runs/{}:${verb}`, run_id), about)
}

export function moveRun(state: string, asked: RunChange) {
  return changeRun('move', asked, { state })
}

export function sealRun(asked: RunChange) {
  return changeRun('seal', asked)
}

export function cancelRun(asked: RunChange) {
  return changeRun('cancel', asked)
}
