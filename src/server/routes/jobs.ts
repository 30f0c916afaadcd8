import { z } from 'zod'
import type { JobAggregate } from '../../core/aggregate.ts'
import type { JobRecord } from '../../core/job/record.ts'
import { statesOf } from '../../core/machine.ts'
import { jobMachine } from '../../core/machines/job.ts'
import { jobNotFound } from '../../errors/refusal-errors.ts'
import { idSchema } from '../../ledger/envelope.ts'
import { LONGEST_WAIT_MS } from '../../runtime/claim-lines.ts'
import { auditPageSchema } from '../openapi/records/audit-schemas.ts'
import { json } from '../openapi/records/field-schemas.ts'
import { jobDetailSchema, jobSchema, stepSchema } from '../openapi/records/job-schemas.ts'
import { pageSchema } from '../openapi/records/list-schemas.ts'
import { whySchema } from '../openapi/records/why-schemas.ts'
import { historyReply, pageReply, pick, recordReply } from '../request/fields.ts'
import { narrowed } from '../request/narrowed.ts'
import {
  fieldsQuery,
  listOf,
  listQuery,
  pageOf,
  pageQuery,
  tenantQuery,
  textQuery,
  wholeNumber,
} from '../request/query.ts'
import { type Call, NOT_THERE, ok, type Route, route } from '../route.ts'

const jobFilter = {
  state: listOf(z.enum(statesOf(jobMachine))),
  request_type: idSchema.optional(),
  run_id: idSchema.optional(),
  workstream_id: idSchema.optional(),
  doc_id: idSchema.optional(),
  protocol_id: idSchema.optional(),
  pipeline_name: idSchema.optional(),
  step_id: idSchema.optional().describe('The step that it is at'),
  ...textQuery,
}

/** Looking at jobs. */
export const jobRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/v1/jobs',
    operation: 'listJobs',
    summary: 'List jobs',
    needs: 'read',
    acrossTenants: true,
    query: z.strictObject({ ...listQuery, ...jobFilter }),
    answers: { 200: { about: 'A page of jobs', schema: pageSchema(jobSchema) } },
    async handle({ server, tenant_id, query, isEnough }) {
      const { state, request_type, run_id, workstream_id, doc_id, protocol_id, fields } = query
      const filter = { tenant_id, state, request_type, run_id, workstream_id, doc_id, protocol_id }
      const { q, after, limit, pipeline_name, step_id } = query
      const also = (job: JobRecord) =>
        (pipeline_name === undefined || job.pipeline_name === pipeline_name) &&
        (step_id === undefined || job.current_step_id === step_id)
      const page = await narrowed('job', { q, also, after, limit, isEnough }, (part) =>
        server.ledger.jobs.list({ ...filter, ...pageOf(query), ...part }),
      )
      return pageReply(page, fields)
    },
  }),
  route({
    method: 'GET',
    path: '/v1/jobs/{job_id}',
    operation: 'getJob',
    summary: 'A job, with its steps and the directives that are still open',
    needs: 'read',
    query: z.strictObject({ ...tenantQuery, ...fieldsQuery }),
    answers: { 200: { about: 'The job', schema: jobDetailSchema }, ...NOT_THERE },
    async handle(call) {
      const { job, steps, outbox } = await shown(call)
      return recordReply({ ...job, steps, outbox }, call.query.fields)
    },
  }),
  route({
    method: 'GET',
    path: '/v1/jobs/{job_id}/steps',
    operation: 'listSteps',
    summary: 'The steps of a job, in their order',
    needs: 'read',
    query: z.strictObject({ ...tenantQuery, ...fieldsQuery }),
    answers: { 200: { about: 'The steps', schema: pageSchema(stepSchema) }, ...NOT_THERE },
    async handle(call) {
      const { steps } = await shown(call)
      return ok({ items: steps.map((step) => pick(step, call.query.fields)), next: null })
    },
  }),
  route({
    method: 'GET',
    path: '/v1/jobs/{job_id}/events',
    operation: 'listJobEvents',
    summary: 'Everything that happened to a job, its steps and its directives',
    needs: 'read',
    query: z.strictObject({ ...pageQuery, direction: z.enum(['asc', 'desc']).optional() }),
    answers: { 200: { about: 'A page of its history', schema: auditPageSchema }, ...NOT_THERE },
    async handle(call) {
      const { job } = await shown(call)
      const { limit, after, direction, fields } = call.query
      const { tenant_id, job_id } = job
      return historyReply(
        await call.server.ledger.audit.query({ tenant_id, job_id, limit, after, direction }),
        fields,
      )
    },
  }),
  route({
    method: 'GET',
    path: '/v1/jobs/{job_id}/why',
    operation: 'whyJob',
    summary: 'Why a job is where it is, and what would get it moving',
    needs: 'read',
    query: z.strictObject(tenantQuery),
    answers: {
      200: { about: 'What keeps it, what has to happen first coming first', schema: whySchema },
      ...NOT_THERE,
    },
    async handle({ server, params, tenant_id }) {
      const job_id = params.job_id as string
      const why = await server.ledger.why(job_id, tenant_id)
      if (why === null) throw jobNotFound({ job_id })
      return ok(why)
    },
  }),
  route({
    method: 'GET',
    path: '/v1/jobs/{job_id}/result',
    operation: 'getResult',
    summary: 'What a job came to, as soon as it has ended',
    about: 'Waits up to `wait_ms`. A job that did not succeed answers with the problem that ended it.',
    needs: 'read',
    query: z.strictObject({
      ...tenantQuery,
      wait_ms: wholeNumber(0, LONGEST_WAIT_MS).optional().describe('0 unless given'),
    }),
    answers: {
      200: { about: 'What its last step came to', schema: z.strictObject({ output: json }) },
      ...NOT_THERE,
      409: { about: 'It failed or was cancelled' },
      504: { about: 'It has not ended yet' },
    },
    async handle({ server, params, tenant_id, query, signal }) {
      const timeout = query.wait_ms ?? 0
      return ok({
        output: await server.ledger.jobs.wait(params.job_id as string, { tenant_id, timeout, signal }),
      })
    },
  }),
]

async function shown({ server, params, tenant_id }: Call): Promise<JobAggregate> {
  const job_id = params.job_id as string
  const aggregate = await server.ledger.jobs.show(job_id, tenant_id)
  if (aggregate === null) throw jobNotFound({ job_id })
  return aggregate
}
