/** Something that a person may do with a job. */
export interface JobAction {
  readonly action: JobActionName
  /** It would be done, and would change something. */
  readonly allowed: boolean
  readonly why_not: string | null
  /** What to do instead. */
  readonly next: string | null
  /** What it does, in one line. */
  readonly about: string
  /** The steps that the new job may begin with; only `again` has any. */
  readonly from_steps: readonly string[]
}

export const JOB_ACTIONS = ['cancel', 'again', 'expedite', 'annotate'] as const

export type JobActionName = (typeof JOB_ACTIONS)[number]
