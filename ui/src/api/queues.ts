import { queryOptions } from '@tanstack/react-query'
import type { QueueRecord } from '../../../src/core/queue/record.ts'
import type { ScheduleRecord } from '../../../src/core/schedule/record.ts'
import type { QueueLoad } from '../../../src/ledger/queue-load.ts'
import type { QueueLimits } from '../../../src/ledger/steering.ts'
import { change } from './change.ts'
import { ask, path } from './client.ts'

export type { QueueLimits, QueueLoad, ScheduleRecord }

interface Listed<T> {
  readonly items: readonly T[]
  readonly is_more: boolean
}

export const queuesQuery = queryOptions({
  queryKey: ['queues'],
  queryFn: ({ signal }) => ask<Listed<QueueLoad>>('/v1/queues', { signal }),
  meta: { topics: ['queue', 'step'] },
})

export function steerQueue(queue: string, verb: 'pause' | 'resume', reason: string) {
  return change<QueueRecord>(path(`/v1/queues/{}:${verb}`, queue), { reason })
}

export function limitQueue(queue: string, limits: QueueLimits, reason: string) {
  return change<QueueRecord>(path('/v1/queues/{}:limit', queue), { reason, body: limits })
}

export function schedulesQuery(tenant: string) {
  return queryOptions({
    queryKey: ['schedules', tenant],
    queryFn: ({ signal }) =>
      ask<Listed<ScheduleRecord>>('/v1/schedules', { query: { tenant_id: tenant }, signal }),
    meta: { topics: ['schedule'] },
  })
}

export function steerSchedule(schedule: ScheduleRecord, verb: 'pause' | 'resume', reason: string) {
  const { tenant_id, schedule_id, etag } = schedule
  return change<ScheduleRecord>(path(`/v1/schedules/{}:${verb}`, schedule_id), {
    tenant: tenant_id,
    reason,
    etag,
  })
}
