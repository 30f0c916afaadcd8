import type { RunRecord } from '../core/group/run-record.ts'
import type { CauseName } from '../core/job/why-cause.ts'

/** What stands still, what is on its way, who works, and what ended last. */
export interface Overview {
  /** `*` when it is about all of them. */
  readonly tenant_id: string
  readonly waiting: WaitingJobs
  readonly outbox: OutboxLag
  readonly workers: Holders
  readonly runs: EndedRuns
}

export interface WaitingJobs {
  readonly count: number
  readonly is_more: boolean
  readonly oldest: readonly WaitingJob[]
}

export interface WaitingJob {
  readonly tenant_id: string
  readonly job_id: string
  readonly request_type: string
  readonly since: string
  readonly cause: CauseName
  readonly message: string
}

export interface OutboxLag {
  readonly pending: number
  readonly is_more: boolean
  readonly oldest_at: string | null
  readonly oldest_job_id: string | null
}

/** Who holds leases now. */
export interface Holders {
  readonly items: readonly Holder[]
  readonly is_more: boolean
}

export interface Holder {
  readonly name: string
  readonly tenants: readonly string[]
  readonly queues: readonly string[]
  readonly running: number
  /** When the oldest of its attempts began. */
  readonly since: string
  /** When the first of its leases ends. */
  readonly lease_expires_at: string | null
  readonly jobs: readonly HeldJob[]
}

export interface HeldJob {
  readonly tenant_id: string
  readonly job_id: string
  readonly step_id: string
  readonly since: string
}

/** The runs that ended last, the newest first. */
export interface EndedRuns {
  readonly items: readonly RunRecord[]
  readonly succeeded: number
  readonly ended: number
}
