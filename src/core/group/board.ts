import { briefOf, type JobBrief } from '../job/brief.ts'
import type { JobRecord } from '../job/record.ts'
import { toneOf } from '../machine.ts'
import { jobMachine } from '../machines/job.ts'
import type { WorkstreamState } from '../machines/workstream.ts'
import { type BoardMove, type Lane, laneOf, movesFrom } from './lane.ts'
import { countsAsFailed, OPEN_JOB } from './member-jobs.ts'
import type { WorkstreamRecord } from './workstream-record.ts'

export type { BoardMove } from './lane.ts'

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
  readonly lane: Lane
  readonly lane_reason: string
  readonly jobs: BoardJobs
  /** The job that is being put right, or the last one that failed. */
  readonly failing_job: JobBrief | null
  /** One for every other lane. */
  readonly moves: readonly BoardMove[]
}

export interface BoardJobs {
  readonly open: number
  readonly succeeded: number
  readonly failed: number
  readonly cancelled: number
  /** There are more than were counted. */
  readonly is_more: boolean
}

/** What is known of the jobs of a workstream. */
export interface CardFacts {
  readonly now: number
  /** Its jobs, or the newest of them, newest first. */
  readonly jobs: readonly JobRecord[]
  readonly is_more: boolean
  /** The one that is being put right, and how. */
  readonly fixing: { readonly job: JobRecord; readonly fix: string } | null
}

export function cardOf(workstream: WorkstreamRecord, { now, jobs, is_more, fixing }: CardFacts): BoardCard {
  const { tenant_id, workstream_id, run_id, state, state_since, etag } = workstream
  const { lane, lane_reason } = laneOf(workstream, fixing?.fix ?? null)
  const failing = lane === 'fixing' ? fixing?.job : jobs.find(isFailed)
  return {
    tenant_id,
    workstream_id,
    run_id,
    state,
    since: state_since,
    etag,
    lane,
    lane_reason,
    jobs: { ...countsOf(jobs), is_more },
    failing_job: failing === undefined ? null : briefOf(failing),
    moves: movesFrom(workstream, lane, now),
  }
}

/** It failed, and nobody took over. */
function isFailed(job: JobRecord): boolean {
  return toneOf(jobMachine, job.state) === 'bad' && countsAsFailed(job)
}

function countsOf(jobs: readonly JobRecord[]): Omit<BoardJobs, 'is_more'> {
  const counts = { open: 0, succeeded: 0, failed: 0, cancelled: 0 }
  for (const job of jobs) counts[endOf(job)]++
  return counts
}

function endOf({ state }: JobRecord): keyof Omit<BoardJobs, 'is_more'> {
  if (OPEN_JOB.includes(state)) return 'open'
  const tone = toneOf(jobMachine, state)
  return tone === 'good' ? 'succeeded' : tone === 'bad' ? 'failed' : 'cancelled'
}
