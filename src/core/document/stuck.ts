import type { DurationRow } from '../durations.ts'
import { isTerminal, statesOf } from '../machine.ts'
import { type DocumentState, documentMachine } from '../machines/document.ts'
import { fromEpochSeconds, HOUR_MS } from '../time.ts'
import type { DocumentRecord } from './record.ts'

/** A document that has been in its state for too long. */
export interface StuckDocument {
  readonly tenant_id: string
  readonly doc_id: string
  readonly state: DocumentState
  readonly adapter: string
  /** Epoch seconds at which it entered its state. */
  readonly since: number
  /** Hours it has been there. */
  readonly hours: number
  readonly threshold: StuckThreshold
}

/** How long a document may stay in a state before it counts as stuck, and who says so. */
export interface StuckThreshold {
  readonly state: DocumentState
  readonly hours: number
  /** The caller; or the time that 99 of 100 documents took; or, while none has left the state, a default. */
  readonly from: 'given' | 'p99' | 'default'
}

/** For states that no document has ever left: there is nothing to go by. */
export const DEFAULT_STUCK_HOURS = 24

/** States in which a document can be stuck: work is under way or to come. */
export const UNFINISHED_STATES: readonly DocumentState[] = statesOf(documentMachine).filter(
  (state) => !isTerminal(documentMachine, state),
)

/** For each unfinished state the hours given, or else the state's own 99th percentile. */
export function stuckThresholds(
  hours: number | undefined,
  durations: readonly DurationRow[],
): readonly StuckThreshold[] {
  return UNFINISHED_STATES.map((state): StuckThreshold => {
    if (hours !== undefined) return { state, hours, from: 'given' }
    const row = durations.find((one) => one.state === state)
    return row === undefined
      ? { state, hours: DEFAULT_STUCK_HOURS, from: 'default' }
      : { state, hours: (row.p99_seconds * 1000) / HOUR_MS, from: 'p99' }
  })
}

/** Whether a document is stuck; it is from the very millisecond on at which the threshold is reached. */
export function stuckOf(
  document: DocumentRecord,
  thresholds: readonly StuckThreshold[],
  now: number,
): StuckDocument | null {
  const { tenant_id, doc_id, state, adapter, updated_at } = document
  const threshold = thresholds.find((one) => one.state === state)
  const ms = now - fromEpochSeconds(updated_at)
  if (threshold === undefined || ms < thresholdMs(threshold)) return null
  return { tenant_id, doc_id, state, adapter, since: updated_at, hours: ms / HOUR_MS, threshold }
}

/** Nothing that changed at this time or later is stuck, in any of these states. */
export function stuckBefore(thresholds: readonly StuckThreshold[], now: number): number {
  return now - Math.min(...thresholds.map(thresholdMs)) + 1
}

/** Whole milliseconds: times have no fractions of one, hours have. */
function thresholdMs({ hours }: StuckThreshold): number {
  return Math.round(hours * HOUR_MS)
}
