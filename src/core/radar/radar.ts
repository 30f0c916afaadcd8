/** Where open work stands, stage by stage: a row for each pipeline or workstream, a cell for each of its stages. */
export interface Radar {
  readonly by: RadarBy
  readonly as_of: string
  /** Jobs that ended since then are counted in `passed` and `failed`. */
  readonly ended_from: string
  /** There was more than one look takes in: the counts are of a part. */
  readonly is_more: boolean
  readonly rows: readonly RadarRow[]
}

export const RADAR_BY = ['pipeline', 'workstream'] as const

export type RadarBy = (typeof RADAR_BY)[number]

export interface RadarRow {
  readonly tenant_id: string
  /** The pipeline, or the protocol of what goes through none; or the workstream. */
  readonly row: string
  /** What lists of jobs are filtered by to get those of the row. */
  readonly filter: RadarFilter
  readonly open: number
  readonly cells: readonly RadarCell[]
}

export interface RadarFilter {
  readonly protocol_id?: string
  readonly pipeline_name?: string
  readonly workstream_id?: string
}

export interface RadarCell {
  readonly stage: string
  readonly stage_index: number
  /** Nobody has begun with the stage. */
  readonly waiting: number
  /** Somebody has it. */
  readonly running: number
  /** It failed and is to be tried again. */
  readonly retrying: number
  /** Since when the job is at it that is at it for longest; null when none is. */
  readonly oldest_since: string | null
  readonly oldest_job_id: string | null
  /** Jobs that are at it for longer than they should be. */
  readonly stuck: number
  /** From when on a job counts as stuck; null when none is at it. */
  readonly stuck_after_seconds: number | null
  /** Jobs that ended lately and had got past it. */
  readonly passed: number
  /** Jobs that ended lately because of it. */
  readonly failed: number
}
