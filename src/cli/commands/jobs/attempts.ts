import type { AuditRecord } from '../../../core/audit.ts'
import { attemptsLeft } from '../../../core/job/protocol.ts'
import type { StepRecord } from '../../../core/job/record.ts'
import { isUnderWay, type StepState } from '../../../core/machines/step.ts'
import { fromEpochSeconds, fromIso } from '../../../core/time.ts'
import { stateStyle } from '../../output/state-style.ts'
import { type Column, NEEDED } from '../../output/table.ts'
import { codedText, durationText, timeText } from '../../output/words.ts'

/** One attempt at a step, or a step that nobody has tried yet. */
export interface AttemptRow {
  readonly step_id: string
  /** 0 when there was none yet. */
  readonly attempt_no: number
  readonly state: StepState
  readonly began_at: number | null
  readonly ended_at: number | null
  readonly by: string | null
  readonly error: string | null
  readonly left: number | null
}

/** Every attempt at every step, told from the history; steps only know their last one. */
export function attemptsOf(
  steps: readonly StepRecord[],
  history: readonly AuditRecord[],
): readonly AttemptRow[] {
  return steps.flatMap((step) => {
    const records = history.filter(
      ({ kind, event, metadata }) =>
        kind === 'step' && event === 'moved' && metadata.step_id === step.step_id,
    )
    const numbers = [...new Set(records.map(({ metadata }) => Number(metadata.attempt_no)))].filter(
      (n) => n > 0,
    )
    const tried = numbers.map((n) => attemptRow(step, n, records))
    const isUntried = tried.length === 0 || step.attempt_no === 0
    return isUntried ? [untried(step)] : tried
  })
}

function attemptRow(step: StepRecord, attempt_no: number, records: readonly AuditRecord[]): AttemptRow {
  const own = records.filter(({ metadata }) => metadata.attempt_no === attempt_no)
  const last = own.at(-1) as AuditRecord
  const isOver = !isUnderWay(last.new_state as StepState)
  const isLast = attempt_no === step.attempt_no
  return {
    step_id: step.step_id,
    attempt_no,
    state: last.new_state as StepState,
    began_at: fromEpochSeconds((own[0] as AuditRecord).timestamp),
    ended_at: isOver ? fromEpochSeconds(last.timestamp) : null,
    by: own.find(({ new_state }) => new_state === 'IN_PROGRESS')?.actor ?? (isLast ? step.holder : null),
    error: codedText(last.error_type, last.error_message) ?? (isOver ? last.reason : null),
    left: isLast ? attemptsLeft(step) : null,
  }
}

function untried(step: StepRecord): AttemptRow {
  const { step_id, state } = step
  return {
    step_id,
    attempt_no: 0,
    state,
    began_at: null,
    ended_at: null,
    by: null,
    error: codedText(step.last_error_code, step.last_error_message),
    left: attemptsLeft(step),
  }
}

export function attemptColumns(now: number): readonly Column<AttemptRow>[] {
  return [
    { title: 'STEP', value: ({ step_id }) => step_id, least: 8, worth: NEEDED },
    {
      title: 'TRY',
      value: ({ attempt_no }) => (attempt_no === 0 ? null : attempt_no),
      align: 'right',
      least: 3,
      worth: 6,
    },
    {
      title: 'STATE',
      value: ({ state }) => state,
      style: ({ state }) => stateStyle(state),
      least: 12,
      worth: NEEDED,
    },
    {
      title: 'BEGAN',
      value: ({ began_at }) => (began_at === null ? null : timeText(began_at)),
      least: 20,
      worth: 1,
    },
    { title: 'TOOK', value: (row) => tookText(row, now), align: 'right', least: 4, worth: 4 },
    { title: 'BY', value: ({ by }) => by, least: 8, worth: 2 },
    {
      title: 'ERROR',
      value: ({ error }) => error,
      style: ({ state }) => (state === 'FAILED_FINAL' ? 'red' : 'yellow'),
      least: 24,
      worth: 5,
    },
  ]
}

function tookText({ began_at, ended_at }: AttemptRow, now: number): string | null {
  if (began_at === null) return null
  return durationText(Math.max(0, (ended_at ?? now) - began_at) / 1000)
}

/** Who has a step, and until when. */
export function leaseText(step: StepRecord | undefined, now: number): string | null {
  if (step === undefined || step.lease_expires_at === null || !isUnderWay(step.state)) return null
  const left = Math.max(0, Math.ceil((fromIso(step.lease_expires_at) - now) / 1000))
  return `${step.holder ?? step.service} until ${timeText(fromIso(step.lease_expires_at))}, ${durationText(left)} left`
}
