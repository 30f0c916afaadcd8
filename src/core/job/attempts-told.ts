// Attempts are not kept one by one: a step knows its last one. The others are told from its history.
import { idOf } from '../aggregate.ts'
import type { AuditRecord } from '../audit.ts'
import { isTerminal } from '../machine.ts'
import { type StepState, stepMachine } from '../machines/step.ts'
import { fromEpochSeconds, toIso } from '../time.ts'
import type { StepRecord } from './record.ts'

/** One attempt at a step, as the history tells it. Times are ISO; null: it did not happen, or not yet. */
export interface AttemptTold {
  readonly step_id: string
  readonly step_index: number
  readonly attempt_no: number
  readonly dispatched_at: string
  readonly sent_at: string | null
  readonly acked_at: string | null
  readonly ended_at: string | null
  /** The state that the attempt ended in; null while it goes on. */
  readonly outcome: StepState | null
  readonly holder: string | null
  readonly error_code: string | null
  readonly error_message: string | null
  /** When the next one started, or is to. */
  readonly retry_at: string | null
}

export interface AttemptsTold {
  /** In the order of the steps, and of the attempts at each. */
  readonly items: readonly AttemptTold[]
  /** None is missing; part of the history may be gone, or be more than is looked at. */
  readonly is_complete: boolean
}

type Telling = { -readonly [K in keyof AttemptTold]: AttemptTold[K] }

/** `history` has the moves of the steps, those of each in their order. */
export function attemptsTold(
  steps: readonly StepRecord[],
  history: readonly AuditRecord[],
  isWhole: boolean,
): AttemptsTold {
  const moves = Map.groupBy(history, ({ id }) => id)
  const each = steps.map((step) => ({ step, told: attemptsAt(step, moves.get(idOf(step)) ?? []) }))
  return {
    items: each.flatMap(({ told }) => told),
    is_complete: isWhole && each.every(({ step, told }) => told.length === step.attempt_no),
  }
}

function attemptsAt(step: StepRecord, moves: readonly AuditRecord[]): readonly AttemptTold[] {
  const told: Telling[] = []
  for (const record of moves) {
    const at = toIso(fromEpochSeconds(record.timestamp))
    const last = told.at(-1)
    if (record.new_state === 'DISPATCHING') {
      if (last !== undefined) last.retry_at = at
      told.push(begun(step, record, at))
    } else if (last !== undefined && last.ended_at === null) goOn(last, record, at)
  }
  const last = told.at(-1)
  if (last !== undefined && last.attempt_no === step.attempt_no) {
    last.holder ??= step.holder
    if (last.outcome === 'FAILED_RETRY') last.retry_at = step.retry_at
  }
  return told
}

function begun({ step_id, step_index }: StepRecord, { retry_count }: AuditRecord, at: string): Telling {
  return {
    step_id,
    step_index,
    attempt_no: retry_count + 1,
    dispatched_at: at,
    sent_at: null,
    acked_at: null,
    ended_at: null,
    outcome: null,
    holder: null,
    error_code: null,
    error_message: null,
    retry_at: null,
  }
}

function goOn(attempt: Telling, record: AuditRecord, at: string): void {
  const state = record.new_state as StepState
  if (state === 'AWAITING_ACK') attempt.sent_at = at
  else if (state === 'IN_PROGRESS') {
    attempt.acked_at = at
    attempt.holder = record.actor
  }
  if (state !== 'FAILED_RETRY' && !isTerminal(stepMachine, state)) return
  attempt.ended_at = at
  attempt.outcome = state
  attempt.error_code = record.error_type
  attempt.error_message = record.error_message
}
