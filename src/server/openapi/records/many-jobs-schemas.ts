import { z } from 'zod'
import type { FailedOne, ManyReport, MatchCount } from '../../../ledger/many-jobs.ts'
import { count, id } from './field-schemas.ts'
import { schemaFor } from './schema-for.ts'

export const matchCountSchema = schemaFor<MatchCount>()(
  z.strictObject({ count, is_more: z.boolean().describe('From 10,000 on they are not counted') }),
).meta({ id: 'MatchCount' })

const failedOneSchema = schemaFor<FailedOne>()(
  z.strictObject({ job_id: id, code: z.string(), message: z.string() }),
).meta({ id: 'FailedOne' })

export const manyReportSchema = schemaFor<ManyReport>()(
  z.strictObject({
    done: count,
    unchanged: count.describe('Those that had ended, or had been run again, before'),
    failed_count: count,
    failed: z.array(failedOneSchema).describe('The first hundred'),
  }),
).meta({ id: 'ManyReport' })
