import { z } from 'zod'
import { MOST_MINUTES } from '../../ledger/activity.ts'
import { listSchema } from '../openapi/records/list-schemas.ts'
import { activitySchema, overviewSchema, tenantSchema } from '../openapi/records/overview-schemas.ts'
import { tenantQuery, wholeNumber } from '../request/query.ts'
import { ok, type Route, route } from '../route.ts'

const DEFAULT_MINUTES = 60

export const overviewRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/v1/overview',
    operation: 'getOverview',
    summary: 'What waits and why, what is still to be published, who works, and which runs ended last',
    about: 'The answer is kept for a while.',
    needs: 'read',
    acrossTenants: true,
    query: z.strictObject(tenantQuery),
    answers: { 200: { about: 'The oldest first, but for runs', schema: overviewSchema } },
    handle: async ({ server: { looks }, tenant_id }) => ok(await looks.overview(tenant_id)),
  }),
  route({
    method: 'GET',
    path: '/v1/activity',
    operation: 'getActivity',
    summary: 'How many jobs were submitted and ended lately, and how much was retried or refused, over time',
    about: 'In 60 steps of equal length, the last of which is not over. The answer is kept for a while.',
    needs: 'read',
    acrossTenants: true,
    query: z.strictObject({
      ...tenantQuery,
      minutes: wholeNumber(1, MOST_MINUTES)
        .optional()
        .describe(`How far back; ${DEFAULT_MINUTES} unless given`),
    }),
    answers: { 200: { about: 'A number for each step', schema: activitySchema } },
    async handle({ server: { looks }, tenant_id, query: { minutes = DEFAULT_MINUTES } }) {
      return ok(await looks.activity({ tenant_id, minutes }))
    },
  }),
  route({
    method: 'GET',
    path: '/v1/tenants',
    operation: 'listTenants',
    summary: 'The tenants that the caller is for, and how many open jobs each has',
    about:
      'For those who are for all tenants: those that have open jobs, that something happened to lately, and the one ' +
      'that requests are about which name none.',
    needs: 'read',
    answers: { 200: { about: 'In the order of their names', schema: listSchema(tenantSchema) } },
    async handle({ server: { looks }, principal: { tenants } }) {
      return ok(await looks.tenants(tenants === null ? undefined : [...tenants]))
    },
  }),
]
