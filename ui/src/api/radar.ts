import { queryOptions } from '@tanstack/react-query'
import type { Radar, RadarBy } from '../../../src/core/radar/radar.ts'
import { ask } from './client.ts'

/** The server keeps its answer for a moment, so that the last thing that happened may be missing from it: it is asked once more. */
const AGAIN_MS = 1000

export function radarQuery(tenant: string, by: RadarBy, hours: number) {
  return queryOptions({
    queryKey: ['radar', tenant, by, hours],
    queryFn: ({ signal }) => ask<Radar>('/v1/radar', { signal, query: { tenant_id: tenant, by, hours } }),
    meta: { topics: ['job', 'step'] },
    refetchInterval: AGAIN_MS,
  })
}
