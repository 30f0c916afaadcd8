import { z } from 'zod'
import { MODES } from '../../../core/routing.ts'
import { at, count, id, json, jsonObject, ref } from './field-schemas.ts'

/** As services know the fields, with what only a worker who claims has to know. */
export const directiveSchema = z
  .strictObject({
    jobId: id,
    tenant_id: id,
    stepId: id,
    protocol_id: id,
    step_type: z.string(),
    attempt_no: count,
    lease_id: id,
    input_ref: ref,
    workspace_ref: ref.nullable(),
    output_ref: ref,
    payload: json,
    callback_urls: jsonObject.nullable(),
    mode: z.enum(MODES),
    lane: z.int(),
    routing_key_used: z.string(),
    correlation_id: z.string().nullable(),
    traceparent: z.string().nullable(),
    queue: z.string(),
    previous: json.describe('What the step before came to; null for the first'),
    attempts_left: z.int(),
    lease_expires_at: at.nullable(),
    lease_ms: z.int().nullable().describe('The same, for workers whose clock is another'),
  })
  .meta({ id: 'Directive', description: 'Work that was handed to a worker' })
