import { Cron } from 'croner'
import type { Calendar } from '../core/schedule/commands.ts'
import { InvalidInput } from '../errors/input-errors.ts'

/** The calendar of cron expressions. */
export const calendar: Calendar = ({ cron, timezone }, ms) =>
  new Cron(cron, { timezone, paused: true }).nextRun(new Date(ms))?.getTime() ?? null

/** Whether there is such a time zone and such an expression. */
export function checkTimes({ cron, timezone }: { readonly cron: string; readonly timezone: string }): void {
  try {
    new Intl.DateTimeFormat('en', { timeZone: timezone })
  } catch (cause) {
    const next = 'Use a name such as UTC or Europe/Berlin.'
    throw InvalidInput.by(cause, 'timezone', `${timezone} is not a time zone`, next)
  }
  try {
    new Cron(cron, { timezone, paused: true })
  } catch (cause) {
    const next = 'Write five fields, minute hour day month weekday: 0 9 * * 1-5 is nine on working days.'
    const message = `${JSON.stringify(cron)} is not a cron expression: ${(cause as Error).message}`
    throw InvalidInput.by(cause, 'cron', message, next)
  }
}
