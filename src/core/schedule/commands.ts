import type { SubmitJob } from '../job/commands.ts'
import type { JsonObject } from '../json.ts'
import type { CatchUp, Overlap } from './record.ts'

interface ToSchedule {
  readonly tenant_id: string
  readonly schedule_id: string
  readonly actor: string
  readonly reason: string | null
  readonly if_match?: string | undefined
}

/** The first time of a schedule after an instant; null when there is none. Pure: calendars need no clock. */
export type Calendar = (
  times: { readonly cron: string; readonly timezone: string },
  ms: number,
) => number | null

/** Make a schedule, or change the one there is. */
export interface PutSchedule extends ToSchedule {
  readonly type: 'putSchedule'
  readonly cron: string
  readonly timezone: string
  readonly request: JsonObject
  readonly overlap: Overlap
  readonly catch_up: CatchUp
  readonly calendar: Calendar
}

/** Pause, resume or remove. Whoever resumes goes on with the next time: what passed meanwhile is not caught up with. */
export interface MoveSchedule extends ToSchedule {
  readonly type: 'moveSchedule'
  readonly state: 'active' | 'paused' | 'removed'
  readonly calendar: Calendar
}

/** Its time has come: submit a job. */
export interface FireSchedule extends ToSchedule {
  readonly type: 'fireSchedule'
  /** The time that is meant: whoever comes second finds that it was dealt with. */
  readonly at: string
  readonly submit: SubmitJob
  readonly calendar: Calendar
}

export type ScheduleCommand = PutSchedule | MoveSchedule | FireSchedule

export interface FireAnswer {
  /** Null when no job was submitted: it was not due, somebody else was quicker, or the history says why. */
  readonly job_id: string | null
}
