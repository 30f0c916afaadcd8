import type { JobBrief } from '../core/job/brief.ts'

export type { JobBrief } from '../core/job/brief.ts'

/** Jobs that have to do with a job. */
export interface Related {
  readonly depends_on: readonly JobBrief[]
  readonly dependants: readonly JobBrief[]
  /** Not all jobs were looked at: there may be more that depend on it or run it again. */
  readonly dependants_is_more: boolean
  readonly again_of: JobBrief | null
  readonly again: readonly JobBrief[]
  readonly escalated_from: JobBrief | null
  readonly escalated_to: JobBrief | null
  /** Every job of its escalation in order, itself among them; empty when there is none. */
  readonly chain: readonly JobBrief[]
  /** The newest others with its document. */
  readonly same_document: readonly JobBrief[]
}
