/** How much happened lately, counted in steps of equal length. */
export interface Activity {
  /** `*` when it is about all of them. */
  readonly tenant_id: string
  readonly from: string
  readonly until: string
  readonly step_seconds: number
  /** What happened before then is not all counted; null when everything is. */
  readonly complete_from: string | null
  /** When each step begins, in epoch seconds. */
  readonly at: readonly number[]
  readonly submitted: readonly number[]
  readonly succeeded: readonly number[]
  readonly failed: readonly number[]
  readonly cancelled: readonly number[]
  readonly retried: readonly number[]
  readonly refused: readonly number[]
}
