import { queryOptions } from '@tanstack/react-query'
import type { Board } from '../../../src/core/group/board.ts'
import type { RunRecord } from '../../../src/core/group/run-record.ts'
import type { WorkstreamRecord } from '../../../src/core/group/workstream-record.ts'
import type { PageAnswer } from '../lists/pages.ts'
import { change } from './change.ts'
import { ask, path } from './client.ts'

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

export function moveWorkstream(
  { tenant_id, workstream_id, etag }: SeenWorkstream,
  state: string,
  reason: string,
) {
  return change<WorkstreamRecord>(path('/v1/workstreams/{}:move', workstream_id), {
    tenant: tenant_id,
    reason,
    etag,
    body: { state },
  })
}

export function sealWorkstream({ tenant_id, workstream_id, etag }: SeenWorkstream, reason: string) {
  return change<WorkstreamRecord>(path('/v1/workstreams/{}:seal', workstream_id), {
    tenant: tenant_id,
    reason,
    etag,
  })
}
