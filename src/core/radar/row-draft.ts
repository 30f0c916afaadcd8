import type { StepState } from '../machines/step.ts'
import { HANDED_OUT, stepMachine } from '../machines/step.ts'
import { fromIso, toEpochSeconds } from '../time.ts'
import type { RadarCell, RadarRow } from './radar.ts'
import type { SeenJob, SeenStage, SeenStep } from './seen-job.ts'
import type { StuckAfter } from './stuck-after.ts'

type CellDraft = { -readonly [K in keyof RadarCell]: RadarCell[K] }

/** A row of a radar while jobs are counted into it. */
export class RowDraft {
  open = 0
  readonly #about: Pick<RadarRow, 'tenant_id' | 'row' | 'filter'>
  readonly #cells = new Map<string, CellDraft>()
  /** By protocol: a workstream has jobs of several. */
  readonly #stages = new Map<string, readonly SeenStage[]>()

  constructor(about: Pick<RadarRow, 'tenant_id' | 'row' | 'filter'>) {
    this.#about = about
  }

  /** Every stage of a protocol that jobs of the row go through has a cell, also where no job is. */
  know({ protocol_id }: SeenJob, stages: readonly SeenStage[]): void {
    if (this.#stages.has(protocol_id)) return
    this.#stages.set(protocol_id, stages)
    for (const stage of stages) this.#cell(stage)
  }

  /** Counts a job where it stands; what is known of the step that somebody has begun with goes before. */
  stand(
    job: SeenJob,
    begun: SeenStep | undefined,
    { now, stuckAfter }: { readonly now: number; readonly stuckAfter: StuckAfter },
  ): void {
    const { stage, since } = begun ?? job
    const cell = this.#cell(begun ?? job)
    this.open++
    cell[conditionOf(begun?.state)]++
    if (cell.oldest_since === null || since < cell.oldest_since) {
      cell.oldest_since = since
      cell.oldest_job_id = job.job_id
    }
    const service = begun?.service ?? this.#stagesOf(job).find((one) => one.stage === stage)?.service
    const afterMs = stuckAfter(service)
    const seconds = toEpochSeconds(afterMs)
    cell.stuck_after_seconds = Math.min(cell.stuck_after_seconds ?? seconds, seconds)
    if (now - fromIso(since) > afterMs && (begun !== undefined || !job.is_held)) cell.stuck++
  }

  /** Counts a job that has ended in every stage that it got past, and where it failed. */
  end(job: SeenJob): void {
    const { state, stage_index } = job
    if (state === 'FAILED_FINAL') this.#cell(job).failed++
    const passed = state === 'SUCCEEDED' ? stage_index + 1 : stage_index
    for (const stage of this.#stagesOf(job)) if (stage.stage_index < passed) this.#cell(stage).passed++
  }

  done(): RadarRow {
    const cells = [...this.#cells.values()].sort(
      (a, b) => a.stage_index - b.stage_index || (a.stage < b.stage ? -1 : 1),
    )
    return { ...this.#about, open: this.open, cells }
  }

  #stagesOf({ protocol_id }: SeenJob): readonly SeenStage[] {
    return this.#stages.get(protocol_id) as readonly SeenStage[]
  }

  #cell({ stage, stage_index }: Pick<SeenStage, 'stage' | 'stage_index'>): CellDraft {
    let cell = this.#cells.get(stage)
    if (cell === undefined) {
      cell = emptyCell(stage, stage_index)
      this.#cells.set(stage, cell)
    }
    return cell
  }
}

function conditionOf(state: StepState | undefined): 'waiting' | 'running' | 'retrying' {
  if (state === undefined) return 'waiting'
  if (stepMachine.states[state].retry === true) return 'retrying'
  // A directive that is still to be published waits as well.
  return HANDED_OUT.includes(state) ? 'running' : 'waiting'
}

function emptyCell(stage: string, stage_index: number): CellDraft {
  return {
    stage,
    stage_index,
    waiting: 0,
    running: 0,
    retrying: 0,
    oldest_since: null,
    oldest_job_id: null,
    stuck: 0,
    stuck_after_seconds: null,
    passed: 0,
    failed: 0,
  }
}
