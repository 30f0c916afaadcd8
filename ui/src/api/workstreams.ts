import { queryOptions } from '@tanstack/react-query'
import type { Board } from '../../../src/core/group/board.ts'
import type { RunRecord } from '../../../src/core/group/run-record.ts'
import type { WorkstreamRecord } from '../../../src/core/group/workstream-record.ts'
import type { JobRecord } from '../../../src/core/job/record.ts'
import type { PageAnswer } from '../lists/pages.ts'
import { ask, path } from './client.ts'
import type { HistoryRecord } from './live.ts'

export function boardQuery(tenant: string, run_id: string | undefined) {
  return queryOptions({
    queryKey: ['workstreams', 'board', tenant, run_id ?? ''],
    queryFn: ({ signal }) => ask<Board>('/v1/board', { signal, query: { tenant_id: tenant, run_id } }),
    meta: { topics: ['workstream', 'run', 'job', 'step'] },
  })
}

const RUNS_OFFERED = 100

/** The runs that a board may be narrowed down to. */
export function runNamesQuery(tenant: string) {
  return queryOptions({
    queryKey: ['runs', 'names', tenant],
    queryFn: ({ signal }) =>
      ask<PageAnswer<Pick<RunRecord, 'run_id'>>>('/v1/runs', {
        signal,
        query: {
          tenant_id: tenant,
          limit: RUNS_OFFERED,
          order: 'changed',
          direction: 'desc',
          fields: 'run_id',
        },
      }),
    meta: { topics: ['run'] },
  })
}

export function workstreamQuery(tenant: string, id: string) {
  return queryOptions({
    queryKey: ['workstreams', 'one', tenant, id],
    queryFn: ({ signal }) =>
      ask<WorkstreamRecord>(path('/v1/workstreams/{}', id), { signal, query: { tenant_id: tenant } }),
    meta: { topics: ['workstream'] },
  })
}

/** A workstream as somebody saw it: if it has changed since, the server refuses. */
export interface SeenWorkstream {
  readonly tenant_id: string
  readonly workstream_id: string
  readonly etag: string
}

export function moveWorkstream(seen: SeenWorkstream, state: string, reason: string) {
  return change(seen, ':move', reason, { state })
}

export function sealWorkstream(seen: SeenWorkstream, reason: string) {
  return change(seen, ':seal', reason, undefined)
}

function change(
  { tenant_id, workstream_id, etag }: SeenWorkstream,
  verb: string,
  reason: string,
  body: unknown,
): Promise<WorkstreamRecord> {
  return ask<WorkstreamRecord>(path(`/v1/workstreams/{}${verb}`, workstream_id), {
    method: 'POST',
    query: { tenant_id, reason },
    headers: { 'if-match': `"${etag}"` },
    ...(body === undefined ? null : { body }),
  })
}

const PAGE = 100

export function jobsOfWorkstream(
  { tenant, id }: { readonly tenant: string; readonly id: string },
  after: string | undefined,
  signal: AbortSignal,
) {
  return ask<PageAnswer<JobRecord>>('/v1/jobs', {
    signal,
    query: {
      tenant_id: tenant,
      workstream_id: id,
      order: 'changed',
      direction: 'desc',
      limit: PAGE,
      after,
    },
  })
}

export function historyOfWorkstream(
  { tenant, id }: { readonly tenant: string; readonly id: string },
  after: string | undefined,
  signal: AbortSignal,
) {
  return ask<PageAnswer<HistoryRecord>>('/v1/audit', {
    signal,
    query: { tenant_id: tenant, workstream_id: id, direction: 'desc', limit: PAGE, after },
  })
}
