import { z } from 'zod'
import { jobNotFound } from '../../errors/refusal-errors.ts'
import type { Views } from '../../ledger/views.ts'
import { attemptsSchema, jobActionsSchema, relatedSchema } from '../openapi/records/view-schemas.ts'
import { tenantQuery } from '../request/query.ts'
import { type Call, NOT_THERE, ok, type Route, route } from '../route.ts'

/** What people look at beside a job. */
export const jobViewRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/v1/jobs/{job_id}/actions',
    operation: 'listJobActions',
    summary: 'What may be done with a job now, and why the rest may not',
    about: 'The rules themselves are asked; nothing is done. What the caller may do is another matter.',
    needs: 'read',
    query: z.strictObject(tenantQuery),
    answers: { 200: { about: 'Every action', schema: jobActionsSchema }, ...NOT_THERE },
    handle: async (call) => ok({ items: await ofJob(call, (views, ...job) => views.actions(...job)) }),
  }),
  route({
    method: 'GET',
    path: '/v1/jobs/{job_id}/related',
    operation: 'listRelatedJobs',
    summary: 'Jobs that have to do with a job',
    about: 'Those that depend on it or run it again are looked for among the newest 20,000 jobs.',
    needs: 'read',
    query: z.strictObject(tenantQuery),
    answers: { 200: { about: 'By what they have to do with it', schema: relatedSchema }, ...NOT_THERE },
    handle: async (call) => ok(await ofJob(call, (views, ...job) => views.related(...job))),
  }),
  route({
    method: 'GET',
    path: '/v1/jobs/{job_id}/attempts',
    operation: 'listAttempts',
    summary: 'Every attempt at the steps of a job, told from its history',
    needs: 'read',
    query: z.strictObject(tenantQuery),
    answers: {
      200: { about: 'In the order of the steps, and of the attempts at each', schema: attemptsSchema },
      ...NOT_THERE,
    },
    handle: async (call) => ok(await ofJob(call, (views, ...job) => views.attempts(...job))),
  }),
]

async function ofJob<T>(
  { server, params, tenant_id }: Call,
  look: (views: Views, job_id: string, tenant_id: string) => Promise<T | null>,
): Promise<T> {
  const job_id = params.job_id as string
  const seen = await look(server.ledger.views, job_id, tenant_id)
  if (seen === null) throw jobNotFound({ job_id })
  return seen
}
