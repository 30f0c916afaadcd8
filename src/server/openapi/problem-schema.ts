import { z } from 'zod'
import { ERROR_TABLE } from '../../errors/table.ts'

export const problemSchema = z
  .strictObject({
    type: z.string(),
    title: z.string(),
    status: z.number().int(),
    detail: z.string(),
    code: z.enum(Object.keys(ERROR_TABLE) as [string, ...string[]]),
    field: z.string().optional().describe('The input at fault'),
    next: z.string().describe('What the caller can do about it'),
    details: z.record(z.string(), z.unknown()),
    request_id: z.string().optional().describe('What the log of the server knows the request by'),
  })
  .meta({ id: 'Problem', description: 'RFC 9457' })
