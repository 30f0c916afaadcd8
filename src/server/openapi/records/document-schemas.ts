import { z } from 'zod'
import type { DocumentAsOf } from '../../../core/document/as-of.ts'
import type { DocumentRecord } from '../../../core/document/record.ts'
import type { StuckDocument, StuckThreshold } from '../../../core/document/stuck.ts'
import { statesOf } from '../../../core/machine.ts'
import { documentMachine } from '../../../core/machines/document.ts'
import type { BulkReport, RefusedUpdate } from '../../../ledger/update-many.ts'
import { count, epochSeconds, etag, id, jsonObject } from './field-schemas.ts'
import { schemaFor } from './schema-for.ts'

const state = z.enum(statesOf(documentMachine))

const told = {
  tenant_id: id,
  doc_id: id,
  state,
  updated_at: epochSeconds.describe('Epoch seconds at which it entered its state'),
  adapter: z.string().describe('The source or stage that reported the state'),
  metadata: jsonObject,
  retry_count: count,
  max_retries: count,
  error_type: z.string().nullable(),
  error_message: z.string().nullable(),
}

export const documentSchema = schemaFor<DocumentRecord>()(
  z.strictObject({ kind: z.literal('document'), ...told, etag }),
).meta({ id: 'Document' })

export const documentAsOfSchema = schemaFor<DocumentAsOf>()(
  z.strictObject({
    ...told,
    complete: z
      .boolean()
      .describe(
        'False when the history before was removed: the state is right, the metadata may lack something',
      ),
  }),
).meta({ id: 'DocumentAsOf', description: 'A document as it was at some time' })

const stuckThresholdSchema = schemaFor<StuckThreshold>()(
  z.strictObject({ state, hours: z.number(), from: z.enum(['given', 'p99', 'default']) }),
).meta({ id: 'StuckThreshold', description: 'How long a document may stay in a state, and who says so' })

export const stuckDocumentSchema = schemaFor<StuckDocument>()(
  z.strictObject({
    tenant_id: id,
    doc_id: id,
    state,
    adapter: z.string(),
    since: epochSeconds,
    hours: z.number(),
    threshold: stuckThresholdSchema,
  }),
).meta({ id: 'StuckDocument' })

/** Of what came over HTTP: which document, and the error in JSON. */
const refusedUpdateSchema = schemaFor<
  Pick<RefusedUpdate, 'index'> & { readonly doc_id: string; readonly error: z.output<typeof jsonObject> }
>()(
  z.strictObject({
    index: count.describe('Which one, from 0'),
    doc_id: id,
    error: jsonObject.describe('`code`, `message`, `field`, `next` and `details`, as a problem has them'),
  }),
).meta({ id: 'RefusedUpdate' })

export const bulkReportSchema = schemaFor<
  Omit<BulkReport, 'refusals'> & { refusals: readonly z.output<typeof refusedUpdateSchema>[] }
>()(
  z.strictObject({
    updated: count,
    refused: count,
    refusals: z.array(refusedUpdateSchema).describe('The first thousand'),
  }),
).meta({ id: 'BulkReport' })
