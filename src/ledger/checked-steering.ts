// What callers give when they steer, by its schemas.
import type { z } from 'zod'
import { expediteSchema, parsed, queueLimitsSchema, scheduleSchema } from './steering-schemas.ts'

export function checkedExpedite(options: unknown): z.output<typeof expediteSchema> {
  return parsed(expediteSchema, options)
}

export function checkedQueueLimits(limits: unknown): z.output<typeof queueLimitsSchema> {
  return parsed(queueLimitsSchema, limits)
}

export function checkedSchedule(schedule: unknown): z.output<typeof scheduleSchema> {
  return parsed(scheduleSchema, schedule)
}
