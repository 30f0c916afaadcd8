import { z } from 'zod'
import { statesOf } from '../../../core/machine.ts'
import { scheduleMachine } from '../../../core/machines/schedule.ts'
import type { ScheduleRecord } from '../../../core/schedule/record.ts'
import { at, etag, id, jsonObject } from './field-schemas.ts'
import { schemaFor } from './schema-for.ts'

export const scheduleRecordSchema = schemaFor<ScheduleRecord>()(
  z.strictObject({
    kind: z.literal('schedule'),
    tenant_id: id,
    schedule_id: id,
    state: z.enum(statesOf(scheduleMachine)),
    state_since: at,
    cron: z.string(),
    timezone: z.string(),
    request: jsonObject,
    overlap: z.enum(['allow', 'skip']),
    catch_up: z.enum(['one', 'none', 'all']),
    next_at: at.nullable(),
    retry_at: at.nullable().describe('It was refused at `next_at`, and is tried again then'),
    last_at: at.nullable(),
    last_job_id: id.nullable(),
    last_error_code: z.string().nullable(),
    last_error_message: z.string().nullable(),
    created_at: at,
    updated_at: at,
    etag,
  }),
).meta({ id: 'Schedule' })
