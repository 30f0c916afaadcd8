import { z } from 'zod'
import { idSchema } from '../../ledger/envelope.ts'
import { expediteSchema } from '../../ledger/steering-schemas.ts'
import { jobSchema } from '../openapi/records/job-schemas.ts'
import { recordReply } from '../request/fields.ts'
import { changeQuery } from '../request/query.ts'
import { NOT_THERE, type Route, route, STALE } from '../route.ts'

/** Steering jobs. */
export const jobActionRoutes: readonly Route[] = [
  route({
    method: 'POST',
    path: '/v1/jobs/{job_id}:cancel',
    operation: 'cancelJob',
    summary: 'End a job',
    about: 'What is running is told to stop; a job that has ended stays as it is, and is answered as it is.',
    needs: 'write',
    query: z.strictObject(changeQuery),
    answers: { 200: { about: 'The job as it is now', schema: jobSchema }, ...NOT_THERE, ...STALE },
    handle: async ({ server, params, by }) =>
      recordReply(await server.ledger.jobs.cancel(params.job_id as string, by)),
  }),
  route({
    method: 'POST',
    path: '/v1/jobs/{job_id}:again',
    operation: 'runAgain',
    summary: 'Make a new job of one that has ended',
    about:
      'All of it, or from a step on. With an `Idempotency-Key` the same call again answers with the same new job.',
    needs: 'write',
    query: z.strictObject(changeQuery),
    isKeyed: true,
    body: z.strictObject({ new_job_id: idSchema.optional(), from_step: idSchema.optional() }),
    answers: {
      202: { about: 'The new job', schema: z.strictObject({ jobId: z.string(), duplicate: z.boolean() }) },
      409: { about: 'It has not ended, or not come as far' },
      ...NOT_THERE,
      ...STALE,
    },
    async handle({ server, params, by, body, request_key }) {
      const key = request_key === null ? {} : { idempotency_key: request_key }
      const { job_id, duplicate } = await server.ledger.jobs.again(params.job_id as string, {
        ...by,
        ...body,
        ...key,
      })
      return { status: 202, body: { jobId: job_id, duplicate } }
    },
  }),
  route({
    method: 'POST',
    path: '/v1/jobs/{job_id}:expedite',
    operation: 'expediteJob',
    summary: 'Get on with a job',
    about: 'Its delay and backoffs end now, and it does not wait for what it is told to ignore.',
    needs: 'write',
    query: z.strictObject(changeQuery),
    body: expediteSchema,
    answers: { 200: { about: 'The job as it is now', schema: jobSchema }, ...NOT_THERE, ...STALE },
    handle: async ({ server, params, by, body }) =>
      recordReply(await server.ledger.jobs.expedite(params.job_id as string, { ...by, ...body })),
  }),
  route({
    method: 'POST',
    path: '/v1/jobs/{job_id}:annotate',
    operation: 'annotateJob',
    summary: 'Say something about a job',
    about: 'Laid over its metadata; a field that is null goes. Gates look at it.',
    needs: 'write',
    query: z.strictObject(changeQuery),
    body: z.strictObject({ metadata: z.record(z.string(), z.json()) }),
    answers: { 200: { about: 'The job as it is now', schema: jobSchema }, ...NOT_THERE, ...STALE },
    handle: async ({ server, params, by, body }) =>
      recordReply(await server.ledger.jobs.annotate(params.job_id as string, body.metadata, by)),
  }),
]
