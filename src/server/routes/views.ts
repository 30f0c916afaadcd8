import { z } from 'zod'
import { idSchema } from '../../ledger/envelope.ts'
import { oneOrAll } from '../../ledger/tenant-to-find.ts'
import { boardSchema, searchResultSchema } from '../openapi/records/view-schemas.ts'
import { tenantQuery } from '../request/query.ts'
import { ok, type Route, route } from '../route.ts'

/** What people look at that is of no record alone. */
export const viewRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/v1/board',
    operation: 'getBoard',
    summary: 'Workstreams by how they are, and where each may be moved',
    about: 'The newest 50 of each lane. What a move says of a workstream is what `:move` takes.',
    needs: 'read',
    acrossTenants: true,
    query: z.strictObject({ ...tenantQuery, run_id: idSchema.optional() }),
    answers: { 200: { about: 'The lanes', schema: boardSchema } },
    handle: async ({ server, tenant_id, query: { run_id } }) =>
      ok(await server.ledger.views.board({ tenant_id: oneOrAll(tenant_id), run_id })),
  }),
  route({
    method: 'GET',
    path: '/v1/search',
    operation: 'search',
    summary: 'Jobs, documents, runs and workstreams by their id, or a part of one of their names',
    about: 'An id is found however old it is, a part of a name in the newest 5,000 of each kind.',
    needs: 'read',
    acrossTenants: true,
    query: z.strictObject({ ...tenantQuery, q: z.string().trim().min(1).max(512) }),
    answers: { 200: { about: 'Those of that very id first', schema: searchResultSchema } },
    handle: async ({ server, tenant_id, query: { q } }) =>
      ok(await server.ledger.views.search({ q, tenant_id: oneOrAll(tenant_id) })),
  }),
]
