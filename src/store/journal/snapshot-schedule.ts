import { Cron } from 'croner'
import { InvalidInput } from '../../errors/input-errors.ts'

/** The first time after one at which a snapshot is made by itself; null when there is none any more. Epoch milliseconds. */
export type SnapshotSchedule = (after: number) => number | null

export function scheduleOf(expression: string | null): SnapshotSchedule | null {
  if (expression === null) return null
  const problem = problemOf(expression)
  if (problem === null) {
    const cron = new Cron(expression, { paused: true, timezone: 'UTC' })
    return (after) => cron.nextRun(new Date(after))?.getTime() ?? null
  }
  const next = 'Give a cron expression such as "0 0 * * *", or null for never.'
  throw new InvalidInput('snapshotSchedule', `${expression} is not a schedule: ${problem}`, next)
}

function problemOf(expression: string): string | null {
  try {
    new Cron(expression, { paused: true })
    return null
  } catch (error) {
    return (error as Error).message
  }
}
