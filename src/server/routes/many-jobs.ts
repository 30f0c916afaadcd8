import { z } from 'zod'
import { statesOf } from '../../core/machine.ts'
import { jobMachine } from '../../core/machines/job.ts'
import { fromIso } from '../../core/time.ts'
import { idSchema, timeSchema } from '../../ledger/envelope.ts'
import type { JobFilter } from '../../ledger/many-jobs.ts'
import { manyReportSchema, matchCountSchema } from '../openapi/records/many-jobs-schemas.ts'
import { changeQuery } from '../request/query.ts'
import { ok, type Route, route } from '../route.ts'

const MOST = 10_000

const filterSchema = z.strictObject({
  state: z
    .array(z.enum(statesOf(jobMachine)))
    .min(1)
    .optional(),
  request_type: idSchema.optional(),
  protocol_id: idSchema.optional(),
  run_id: idSchema.optional(),
  workstream_id: idSchema.optional(),
  doc_id: idSchema.optional(),
  changed_from: timeSchema.optional(),
  changed_before: timeSchema.optional(),
})

const expect = z
  .int()
  .min(0)
  .max(MOST)
  .optional()
  .describe('How many it may be. Without it nothing is done, and they are counted')

const about =
  'First without `expect`: the answer says how many match. Then with it: it is done to at most so many; when more match by ' +
  'now, nothing is done, and 409 says how many. Each job is a change of its own.'

const answers = {
  200: { about: 'How many match, or what came of it', schema: z.union([matchCountSchema, manyReportSchema]) },
  409: { about: 'More match than were expected' },
}

/** Many jobs at once, by a filter, with a count first. */
export const manyJobsRoutes: readonly Route[] = [
  route({
    method: 'POST',
    path: '/v1/jobs:cancel',
    operation: 'cancelJobs',
    summary: 'End all jobs that match',
    about,
    needs: 'write',
    query: z.strictObject(changeQuery),
    body: z.strictObject({ filter: filterSchema, expect }),
    answers,
    async handle({ server, tenant_id, body, by: { actor, reason }, signal }) {
      const options = { actor, reason, signal, expect: body.expect }
      return ok(await server.ledger.jobs.cancelMany(filterOf(body.filter, tenant_id), options))
    },
  }),
  route({
    method: 'POST',
    path: '/v1/jobs:again',
    operation: 'runJobsAgain',
    summary: 'Make new jobs of all ended ones that match',
    about: `${about} Those that failed, unless states are named. Each is run again once, however often this is asked with the same \`Idempotency-Key\`.`,
    needs: 'write',
    query: z.strictObject(changeQuery),
    isKeyed: true,
    body: z.strictObject({ filter: filterSchema, from_step: idSchema.optional(), expect }),
    answers,
    async handle({ server, tenant_id, body, by: { actor, reason }, request_key, signal }) {
      const key = request_key === null ? {} : { request_key }
      const options = { actor, reason, signal, expect: body.expect, from_step: body.from_step, ...key }
      return ok(await server.ledger.jobs.againMany(filterOf(body.filter, tenant_id), options))
    },
  }),
]

function filterOf(given: z.output<typeof filterSchema>, tenant_id: string): JobFilter {
  const { changed_from, changed_before, ...filter } = given
  return {
    ...filter,
    tenant_id,
    ...(changed_from === undefined ? null : { changedFrom: fromIso(changed_from) }),
    ...(changed_before === undefined ? null : { changedBefore: fromIso(changed_before) }),
  }
}
