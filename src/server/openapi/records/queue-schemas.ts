import { z } from 'zod'
import { statesOf } from '../../../core/machine.ts'
import { queueMachine } from '../../../core/machines/queue.ts'
import { EVERYBODY, type QueueRecord } from '../../../core/queue/record.ts'
import type { Counted, QueueLoad } from '../../../ledger/queue-load.ts'
import { at, count, etag } from './field-schemas.ts'
import { rateSchema } from './protocol-schemas.ts'
import { schemaFor } from './schema-for.ts'

const decided = {
  queue: z.string(),
  state: z.enum(statesOf(queueMachine)),
  concurrency: z.int().nullable().describe('Most attempts at once, over all tenants; null when nobody said'),
  rate: rateSchema.nullable(),
}

export const queueSchema = schemaFor<QueueRecord>()(
  z.strictObject({
    kind: z.literal('queue'),
    tenant_id: z.literal(EVERYBODY),
    ...decided,
    state_since: at,
    created_at: at,
    updated_at: at,
    etag,
  }),
).meta({ id: 'Queue', description: 'What somebody decided about a queue' })

const countedSchema = schemaFor<Counted>()(z.strictObject({ count, is_more: z.boolean() })).meta({
  id: 'Counted',
  description: 'A number of things, of which there may be more than were counted',
})

export const queueLoadSchema = schemaFor<QueueLoad>()(
  z.strictObject({
    ...decided,
    state_since: at.nullable(),
    concurrency_used: count.nullable(),
    rate_used: count.nullable(),
    ready: countedSchema,
    running: countedSchema,
    retrying: countedSchema,
    oldest_ready_at: at.nullable(),
  }),
).meta({ id: 'QueueLoad', description: 'What waits and runs in a queue' })
