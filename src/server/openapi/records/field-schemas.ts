// What fields of many records are made of. These schemas describe answers; nothing is checked by them when it is answered.
import { z } from 'zod'
import type { Ref } from '../../../core/job/record.ts'
import type { Json, JsonObject } from '../../../core/json.ts'
import { machines, type RecordKind } from '../../../core/machines/all.ts'
import { schemaFor } from './schema-for.ts'

export const id = z.string()
export const count = z.int().nonnegative()

/** ISO 8601, UTC. */
export const at = z.string().meta({ format: 'date-time' })

export const epochSeconds = z.number().describe('Epoch seconds')

export const milliseconds = z.int()

export const etag = z.string().describe('Another one after every change; `If-Match` takes it')

export const json = z.json() as unknown as z.ZodType<Json>

export const jsonObject = z.record(z.string(), z.json()) as unknown as z.ZodType<JsonObject>

export const recordKind = z.enum(Object.keys(machines) as [RecordKind, ...RecordKind[]])

export const ref = schemaFor<Ref>()(
  z.union([
    z.string(),
    z.strictObject({
      uri: z.string(),
      checksum: z.string().exactOptional(),
      size_bytes: z.number().exactOptional(),
      content_type: z.string().exactOptional(),
      metadata: jsonObject.exactOptional(),
    }),
  ]),
).meta({
  id: 'Ref',
  description: 'Where something is: an address, or an address with what is known of the thing there',
})
