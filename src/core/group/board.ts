import type { JobBrief } from '../job/brief.ts'
import type { WorkstreamState } from '../machines/workstream.ts'
import type { Lane } from './lane.ts'

/** Workstreams by how they are. */
export interface Board {
  readonly lanes: readonly BoardLane[]
}

export interface BoardLane {
  readonly lane: Lane
  readonly about: string
  readonly items: readonly BoardCard[]
  readonly is_more: boolean
}

export interface BoardCard {
  readonly tenant_id: string
  readonly workstream_id: string
  readonly run_id: string | null
  readonly state: WorkstreamState
  readonly since: string
  readonly etag: string
  readonly lane_reason: string
  readonly jobs: BoardJobs
  readonly failing_job: JobBrief | null
  /** One for every other lane. */
  readonly moves: readonly BoardMove[]
}

export interface BoardJobs {
  readonly open: number
  readonly succeeded: number
  readonly failed: number
  readonly cancelled: number
  readonly is_more: boolean
}

/** What putting a card into a lane comes to: the state to be set, or why there is none. */
export interface BoardMove {
  readonly lane: Lane
  readonly state: WorkstreamState | null
  readonly allowed: boolean
  readonly why_not: string | null
}
