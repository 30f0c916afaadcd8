import type { DurationRow } from '../durations.ts'
import { toIso } from '../time.ts'
import { RowDraft } from './row-draft.ts'
import type { SeenJob, SeenStage, SeenStep } from './seen-job.ts'
import { stuckAfter } from './stuck-after.ts'

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

/** What was seen, as of one moment. */
export interface RadarFacts {
  readonly by: RadarBy
  /** Epoch milliseconds, as everything that the kernel reckons with. */
  readonly now: number
  readonly endedFrom: number
  readonly isMore: boolean
  readonly open: readonly SeenJob[]
  readonly begun: readonly SeenStep[]
  readonly ended: readonly SeenJob[]
  /** The stages of each protocol, under `protocolKey`; of one that was not looked up only those are known that jobs are at. */
  readonly stages: ReadonlyMap<string, readonly SeenStage[]>
  /** How long attempts took, by service. */
  readonly durations: readonly DurationRow[]
}

/** More rows than anybody looks at; those with the most open jobs are shown. */
const MOST_ROWS = 500

export function radarOf(facts: RadarFacts): Radar {
  const { by, now, endedFrom, isMore, open, begun, ended, stages, durations } = facts
  const steps = new Map(begun.map((step) => [jobKey(step), step]))
  const measure = { now, stuckAfter: stuckAfter(durations) }
  const drafts = new Map<string, RowDraft>()
  for (const job of open) rowOf(drafts, by, stages, job)?.stand(job, steps.get(jobKey(job)), measure)
  for (const job of ended) rowOf(drafts, by, stages, job)?.end(job)
  const shown = [...drafts.values()].sort((a, b) => b.open - a.open).slice(0, MOST_ROWS)
  return {
    by,
    as_of: toIso(now),
    ended_from: toIso(endedFrom),
    is_more: isMore || drafts.size > shown.length,
    rows: shown.map((draft) => draft.done()).sort(byName),
  }
}

export function protocolKey({ tenant_id, protocol_id }: SeenJob): string {
  return JSON.stringify([tenant_id, protocol_id])
}

function jobKey({ tenant_id, job_id }: Pick<SeenJob, 'tenant_id' | 'job_id'>): string {
  return JSON.stringify([tenant_id, job_id])
}

/** The row that a job belongs to; undefined when it belongs to none. */
function rowOf(
  drafts: Map<string, RowDraft>,
  by: RadarBy,
  stages: RadarFacts['stages'],
  job: SeenJob,
): RowDraft | undefined {
  const filter = by === 'pipeline' ? pipelineOf(job) : workstreamOf(job)
  if (filter === null) return undefined
  const key = JSON.stringify([job.tenant_id, filter])
  let draft = drafts.get(key)
  if (draft === undefined) {
    const [row] = Object.values(filter) as [string]
    draft = new RowDraft({ tenant_id: job.tenant_id, row, filter })
    drafts.set(key, draft)
  }
  draft.know(job, stages.get(protocolKey(job)) ?? [])
  return draft
}

function pipelineOf({ pipeline_name, protocol_id }: SeenJob): RadarFilter {
  return pipeline_name === null ? { protocol_id } : { pipeline_name }
}

function workstreamOf({ workstream_id }: SeenJob): RadarFilter | null {
  return workstream_id === null ? null : { workstream_id }
}

function byName(a: RadarRow, b: RadarRow): number {
  return compare(a.tenant_id, b.tenant_id) || compare(a.row, b.row)
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
