import { z } from 'zod'
import { AUDIT_EVENTS, type AuditRecord } from '../../../core/audit.ts'
import { LEVELS, type LeveledRecord } from '../../../core/audit-level.ts'
import type { DurationRow } from '../../../core/durations.ts'
import type { AuditCount, AuditField } from '../../../ledger/audit-log.ts'
import { count, epochSeconds, id, jsonObject, recordKind } from './field-schemas.ts'
import { pageSchema } from './list-schemas.ts'
import { schemaFor } from './schema-for.ts'

const event = z
  .enum(AUDIT_EVENTS)
  .describe('`noted` did not change the state; `ignored` was late or repeated')

const auditRecordSchema = schemaFor<LeveledRecord>()(
  z.strictObject({
    seq: count,
    cursor: z.string().describe('The same place, as reads and streams take it back'),
    event,
    tenant_id: id,
    kind: recordKind,
    id,
    doc_id: id.nullable(),
    job_id: id.nullable(),
    old_state: z.string().nullable().describe('Null when the record is new'),
    new_state: z.string(),
    timestamp: epochSeconds,
    adapter: z.string().describe('The adapter of a document; the service or tool of anything else'),
    error_type: z.string().nullable(),
    error_message: z.string().nullable(),
    traceback: z.string().nullable(),
    retry_count: z.int(),
    max_retries: z.int(),
    duration_seconds: z.number().nullable().describe('Time spent in the old state'),
    metadata: jsonObject,
    actor: z.string(),
    reason: z.string().nullable(),
    level: z.enum(LEVELS).describe('How much somebody who watches has to care'),
  }),
).meta({ id: 'AuditRecord', description: 'Something that happened to a record, and who wanted it and why' })

export const auditPageSchema = pageSchema(auditRecordSchema)

export const auditCountSchema = schemaFor<
  Partial<Pick<AuditRecord, AuditField>> & Pick<AuditCount, 'count'>
>()(
  z.strictObject({
    tenant_id: id.exactOptional(),
    kind: recordKind.exactOptional(),
    event: event.exactOptional(),
    old_state: z.string().nullable().exactOptional(),
    new_state: z.string().exactOptional(),
    adapter: z.string().exactOptional(),
    error_type: z.string().nullable().exactOptional(),
    actor: z.string().exactOptional(),
    count,
  }),
).meta({
  id: 'AuditCount',
  description: 'The fields that were counted by, and how many records have these values',
})

export const durationRowSchema = schemaFor<DurationRow>()(
  z.strictObject({
    tenant_id: id.exactOptional(),
    kind: recordKind,
    state: z.string().describe('The state that was left'),
    adapter: z.string().nullable().describe('Null when all adapters are counted as one'),
    count,
    mean_seconds: z.number(),
    p50_seconds: z.number(),
    p95_seconds: z.number(),
    p99_seconds: z.number(),
    max_seconds: z.number(),
  }),
).meta({ id: 'DurationRow' })
