// What the radar asks about one of its cells.
import { queryOptions } from '@tanstack/react-query'
import type { JobRecord } from '../../../src/core/job/record.ts'
import type { RadarFilter } from '../../../src/core/radar/radar.ts'
import type { PageAnswer } from '../lists/pages.ts'
import { ask, path } from './client.ts'
import type { HistoryRecord } from './live.ts'

export type StageJob = Pick<
  JobRecord,
  'tenant_id' | 'job_id' | 'state' | 'updated_at' | 'request_type' | 'error_code' | 'error_message'
>

const FIELDS = 'tenant_id,job_id,state,updated_at,request_type,error_code,error_message'

export interface Stage {
  readonly tenant: string
  readonly filter: RadarFilter
  readonly stage: string
}

interface Which {
  readonly states: readonly string[]
  readonly limit: number
  /** By when they changed last. */
  readonly direction: 'asc' | 'desc'
}

export function stageJobsQuery({ tenant, filter, stage }: Stage, { states, limit, direction }: Which) {
  const state = states.join(',')
  return queryOptions({
    queryKey: ['jobs', 'at-stage', tenant, filter, stage, state, limit, direction],
    queryFn: ({ signal }) =>
      ask<PageAnswer<StageJob>>('/v1/jobs', {
        signal,
        query: {
          tenant_id: tenant,
          ...filter,
          step_id: stage,
          state,
          order: 'changed',
          direction,
          limit,
          fields: FIELDS,
        },
      }),
    meta: { topics: ['job', 'step'] },
  })
}

const LAST_EVENTS = 50

export function lastEventsQuery(tenant: string, job_id: string) {
  return queryOptions({
    queryKey: ['jobs', 'last-events', tenant, job_id],
    queryFn: ({ signal }) =>
      ask<PageAnswer<HistoryRecord>>(path('/v1/jobs/{}/events', job_id), {
        signal,
        query: { tenant_id: tenant, direction: 'desc', limit: LAST_EVENTS },
      }),
    meta: { topics: ['job', 'step', 'outbox'] },
  })
}
