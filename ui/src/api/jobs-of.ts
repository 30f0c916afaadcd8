import type { JobRecord } from '../../../src/core/job/record.ts'
import type { PageAnswer } from '../lists/pages.ts'
import { ask } from './client.ts'

export type { JobRecord }

/** What the jobs have in common. */
export interface Belonging {
  readonly doc_id?: string
  readonly run_id?: string
  readonly workstream_id?: string
}

export function jobsOfPage(tenant: string, what: Belonging, after: string | undefined, signal: AbortSignal) {
  const query = { tenant_id: tenant, ...what, order: 'changed', direction: 'desc', after }
  return ask<PageAnswer<JobRecord>>('/v1/jobs', { query, signal })
}
