import { z } from 'zod'
import { InvalidInput } from '../../errors/input-errors.ts'
import { NotFound } from '../../errors/refusal-errors.ts'
import type { LogPiece } from '../../orchestrator/logs/job-logs.ts'
import { count } from '../openapi/records/field-schemas.ts'
import { schemaFor } from '../openapi/records/schema-for.ts'
import { tenantQuery, wholeNumber } from '../request/query.ts'
import { NOT_THERE, ok, type Route, route } from '../route.ts'

const MOST_BYTES = 1024 * 1024
const DEFAULT_BYTES = 64 * 1024

const logSchema = schemaFor<LogPiece>()(
  z.strictObject({
    text: z.string(),
    offset: count.describe('Where the text begins: no character is cut in two'),
    next_offset: count.describe('`offset` of the next piece'),
    size: count.describe('Bytes that there are now'),
    is_complete: z.boolean().describe('The job has ended, and this is the end of its log'),
  }),
).meta({ id: 'LogPiece' })

export const logRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/v1/jobs/{job_id}/logs',
    operation: 'getLog',
    summary: 'What a tool job has printed, piece by piece',
    about:
      'Of all attempts, with lines that say when each began and how it ended. Ask again from `next_offset` to follow it. ' +
      'Secrets are taken out, so that the text may be shorter or longer than its bytes. The log is where the worker wrote ' +
      'it: a server on another machine has none, and neither has a job that is no tool job, or that nobody has begun.',
    needs: 'read',
    query: z.strictObject({
      ...tenantQuery,
      offset: wholeNumber(0, Number.MAX_SAFE_INTEGER).optional().describe('In bytes; 0 unless given'),
      limit: wholeNumber(1, MOST_BYTES).optional().describe(`Most bytes; ${DEFAULT_BYTES} unless given`),
      tail: wholeNumber(0, MOST_BYTES)
        .optional()
        .describe('Instead of `offset`: only the last so many bytes'),
    }),
    answers: { 200: { about: 'A piece of it', schema: logSchema }, ...NOT_THERE },
    async handle({ server, params, tenant_id, query: { offset, tail, limit } }) {
      if (offset !== undefined && tail !== undefined) {
        throw new InvalidInput('tail', 'tail is given together with offset', 'Leave one of them out.')
      }
      const job_id = params.job_id as string
      const job = await server.ledger.jobs.show(job_id, tenant_id)
      const most = limit ?? Math.max(tail ?? 0, DEFAULT_BYTES)
      const piece = job === null ? null : await server.logs.read(job, { offset, tail, limit: most })
      if (piece === null) throw noLog(job_id)
      return ok(piece)
    },
  }),
]

/** No job, not the caller's, or nothing that is certain to be its log: the answer is the same. */
function noLog(job_id: string): NotFound {
  return new NotFound({
    code: 'NOT_FOUND',
    field: 'job_id',
    message: `There is no log of job ${JSON.stringify(job_id)} here`,
    next: 'Look whether it is a tool job that has begun, and whether its worker ran on the machine of this server.',
    details: { job_id },
  })
}
