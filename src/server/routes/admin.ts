import { z } from 'zod'
import { findingSchema, maintenanceReportSchema } from '../openapi/records/ledger-schemas.ts'
import { ok, type Route, route } from '../route.ts'

const admin = { needs: 'admin', everybody: true, isAdmin: true } as const

/** The ledger as a whole. */
export const adminRoutes: readonly Route[] = [
  route({
    method: 'POST',
    path: '/v1/admin/compact',
    operation: 'compact',
    summary: 'Make a snapshot, seal the history that led there, and remove what is older than it is kept',
    ...admin,
    answers: { 200: { about: 'What was done', schema: maintenanceReportSchema } },
    handle: async ({ server }) => ok(await server.ledger.compact()),
  }),
  route({
    method: 'POST',
    path: '/v1/admin/check',
    operation: 'checkLedger',
    summary: 'Look for damage and contradictions',
    ...admin,
    answers: {
      200: {
        about: 'What was found; nothing is good news',
        schema: z.strictObject({ items: z.array(findingSchema) }),
      },
    },
    handle: async ({ server }) => ok({ items: await server.ledger.check() }),
  }),
]
