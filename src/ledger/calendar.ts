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
  } catch {
    throw new InvalidInput(
      'timezone',
      `${timezone} is not a time zone`,
      'Use a name such as UTC or Europe/Berlin.',
    )
  }
  try {
    new Cron(cron, { timezone, paused: true })
  } catch (error) {
    const next = 'Write five fields, minute hour day month weekday: 0 9 * * 1-5 is nine on working days.'
    const { message } = error as Error
    throw new InvalidInput('cron', `${JSON.stringify(cron)} is not a cron expression: ${message}`, next)
  }
}
