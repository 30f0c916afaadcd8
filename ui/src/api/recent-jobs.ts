import { queryOptions } from '@tanstack/react-query'
import type { JobRecord } from '../../../src/core/job/record.ts'
import { ask } from './client.ts'

const FIELDS = ['tenant_id', 'job_id', 'request_type', 'state', 'current_step_id', 'updated_at'] as const

export type RecentJob = Pick<JobRecord, (typeof FIELDS)[number]>

/** The jobs that something happened to last. */
export const recentJobsQuery = (tenant: string, limit: number) =>
  queryOptions({
    queryKey: ['jobs', 'recent', tenant, limit],
    queryFn: ({ signal }) =>
      ask<{ readonly items: readonly RecentJob[] }>('/v1/jobs', {
        signal,
        query: { tenant_id: tenant, order: 'changed', direction: 'desc', limit, fields: FIELDS.join(',') },
      }),
    meta: { topics: ['job'] },
  })
