import { z } from 'zod'
import type { LedgerEntry } from '../../../core/job/entry.ts'
import { at, count, etag, id, jsonObject } from './field-schemas.ts'
import { schemaFor } from './schema-for.ts'

export const entrySchema = schemaFor<LedgerEntry>()(
  z.strictObject({
    tenant_id: id,
    job_id: id,
    doc_key: z.string().nullable(),
    doc_id: id.nullable(),
    pipeline_name: z.string().nullable(),
    status: z.enum(['queued', 'processing', 'cancelling', 'completed', 'failed', 'cancelled']),
    stage: z
      .string()
      .describe('`pending`, then `bootstrap` until the first stage starts, then the stage it is at'),
    attempts: count.describe('How often the run was begun, as far as its scheduler said'),
    retry_count_per_stage: z.record(z.string(), count),
    error_reason: z.string().nullable(),
    metadata: jsonObject,
    created_at: at,
    updated_at: at,
    completed_at: at.nullable(),
    etag,
  }),
).meta({ id: 'LedgerEntry', description: 'A job in the words of pipelines' })
