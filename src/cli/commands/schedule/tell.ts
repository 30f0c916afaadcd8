import type { ScheduleState } from '../../../core/machines/schedule.ts'
import type { ScheduleRecord } from '../../../core/schedule/record.ts'
import { fromIso } from '../../../core/time.ts'
import { NotFound } from '../../../errors/refusal-errors.ts'
import { safeText } from '../../output/safe-text.ts'
import type { Style } from '../../output/text-stream.ts'
import { durationText, timeText } from '../../output/words.ts'
import type { Session } from '../../session.ts'

export function scheduleStyle(state: ScheduleState): Style | undefined {
  return ({ active: 'green', paused: 'yellow', removed: 'dim' } as const)[state]
}

/** Where a schedule is now, and when it is next. */
export async function tellSchedule(session: Session, schedule: ScheduleRecord): Promise<void> {
  if (session.isJson) return session.json(schedule)
  const { out, clock } = session
  const { schedule_id, state } = schedule
  const next = state === 'active' ? `, next ${nextText(schedule, clock.now())}` : ''
  await out.line(`${safeText(schedule_id)}: ${out.paint(scheduleStyle(state), state)}${next}`)
}

export function nextText({ next_at }: ScheduleRecord, now: number): string {
  if (next_at === null) return 'never again'
  const ms = fromIso(next_at) - now
  return `${timeText(fromIso(next_at))}, ${ms < 0 ? 'overdue' : `in ${durationText(Math.ceil(ms / 1000))}`}`
}

export function scheduleNotFound(session: Session, schedule_id: string): NotFound {
  return new NotFound({
    code: 'NOT_FOUND',
    field: 'id',
    message: `There is no schedule ${JSON.stringify(schedule_id)}`,
    next: `See what there is: ${session.hintOf('schedule list')}`,
    details: { schedule_id },
  })
}
