import { z } from 'zod'
import { type Machine, statesOf } from '../../core/machine.ts'
import { machines } from '../../core/machines/all.ts'
import { idSchema } from '../../ledger/envelope.ts'
import { runSchema, workstreamSchema } from '../openapi/records/group-schemas.ts'
import { pageSchema } from '../openapi/records/list-schemas.ts'
import { pageReply, recordReply } from '../request/fields.ts'
import { narrowed } from '../request/narrowed.ts'
import { found } from '../request/not-found.ts'
import {
  changeQuery,
  fieldsQuery,
  listOf,
  listQuery,
  pageOf,
  tenantQuery,
  textQuery,
} from '../request/query.ts'
import { NOT_THERE, type Reply, type Route, route, type ServerParts, STALE } from '../route.ts'

const metadata = z.record(z.string(), z.json())

const ownRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/v1/runs',
    operation: 'listRuns',
    summary: 'List runs',
    needs: 'read',
    acrossTenants: true,
    query: z.strictObject({ ...listQuery, state: listOf(z.enum(statesOf(machines.run))), ...textQuery }),
    answers: { 200: { about: 'A page of runs', schema: pageSchema(runSchema) } },
    async handle({ server, tenant_id, query, isEnough }) {
      const { state, fields, q, after, limit } = query
      const page = await narrowed('run', { q, after, limit, isEnough }, (part) =>
        server.ledger.runs.list({ tenant_id, state, ...pageOf(query), ...part }),
      )
      return pageReply(page, fields)
    },
  }),
  route({
    method: 'POST',
    path: '/v1/runs',
    operation: 'createRun',
    summary: 'Make a run',
    about: 'An id is made up unless one is given. A job that names a run makes it, too.',
    needs: 'write',
    query: z.strictObject(changeQuery),
    body: z.strictObject({ run_id: idSchema.optional(), metadata: metadata.optional() }),
    isKeyed: true,
    answers: { 201: { about: 'The run', schema: runSchema } },
    handle: async ({ server, body, by, request_key }) =>
      created(await server.ledger.runs.create(body, { ...by, ...keyOf(request_key) })),
  }),
  route({
    method: 'POST',
    path: '/v1/runs/{run_id}:cancel',
    operation: 'cancelRun',
    summary: 'Cancel what is open of a run',
    about: 'It takes no more jobs, and ends when the last of them has stopped.',
    needs: 'write',
    query: z.strictObject(changeQuery),
    answers: { 200: { about: 'The run as it is now', schema: runSchema }, ...NOT_THERE, ...STALE },
    handle: async ({ server, params, by }) =>
      recordReply(await server.ledger.runs.cancel(params.run_id as string, by)),
  }),
  route({
    method: 'GET',
    path: '/v1/workstreams',
    operation: 'listWorkstreams',
    summary: 'List workstreams',
    needs: 'read',
    acrossTenants: true,
    query: z.strictObject({
      ...listQuery,
      state: listOf(z.enum(statesOf(machines.workstream))),
      run_id: idSchema.optional(),
      ...textQuery,
    }),
    answers: { 200: { about: 'A page of workstreams', schema: pageSchema(workstreamSchema) } },
    async handle({ server, tenant_id, query, isEnough }) {
      const { state, run_id, fields, q, after, limit } = query
      const page = await narrowed('workstream', { q, after, limit, isEnough }, (part) =>
        server.ledger.workstreams.list({ tenant_id, state, run_id, ...pageOf(query), ...part }),
      )
      return pageReply(page, fields)
    },
  }),
  route({
    method: 'POST',
    path: '/v1/workstreams',
    operation: 'createWorkstream',
    summary: 'Make a workstream',
    about: 'An id is made up unless one is given. A job that names a workstream makes it, too.',
    needs: 'write',
    query: z.strictObject(changeQuery),
    body: z.strictObject({
      workstream_id: idSchema.optional(),
      run_id: idSchema.optional(),
      metadata: metadata.optional(),
    }),
    isKeyed: true,
    answers: { 201: { about: 'The workstream', schema: workstreamSchema } },
    handle: async ({ server, body, by, request_key }) =>
      created(await server.ledger.workstreams.create(body, { ...by, ...keyOf(request_key) })),
  }),
]

function commonRoutes(kind: 'run' | 'workstream'): readonly Route[] {
  const groupsOf = ({ ledger }: ServerParts) => (kind === 'run' ? ledger.runs : ledger.workstreams)
  const schema = kind === 'run' ? runSchema : workstreamSchema
  const path = `/v1/${kind}s/{${kind}_id}`
  const Kind = kind === 'run' ? 'Run' : 'Workstream'
  const idIn = (params: { readonly [name: string]: string }) => params[`${kind}_id`] as string
  const states = statesOf(machines[kind] as Machine<string>)
  return [
    route({
      method: 'GET',
      path,
      operation: `get${Kind}`,
      summary: `A ${kind}`,
      needs: 'read',
      query: z.strictObject({ ...tenantQuery, ...fieldsQuery }),
      answers: { 200: { about: `The ${kind}`, schema }, ...NOT_THERE },
      async handle({ server, params, tenant_id, query }) {
        const id = idIn(params)
        return recordReply(found(await groupsOf(server).get(id, tenant_id), kind, id), query.fields)
      },
    }),
    route({
      method: 'POST',
      path: `${path}:move`,
      operation: `move${Kind}`,
      summary: `Say where a ${kind} stands, whatever its jobs do`,
      needs: 'write',
      query: z.strictObject(changeQuery),
      body: z.strictObject({ state: z.enum(states) }),
      answers: {
        200: { about: `The ${kind} as it is now`, schema },
        409: { about: 'There is no such edge' },
        ...NOT_THERE,
        ...STALE,
      },
      handle: async ({ server, params, by, body }) =>
        recordReply(await groupsOf(server).update(idIn(params), body.state as never, by)),
    }),
    route({
      method: 'POST',
      path: `${path}:seal`,
      operation: `seal${Kind}`,
      summary: `No more jobs are to come for a ${kind}: it ends when those it has do`,
      needs: 'write',
      query: z.strictObject(changeQuery),
      answers: { 200: { about: `The ${kind} as it is now`, schema }, ...NOT_THERE, ...STALE },
      handle: async ({ server, params, by }) => recordReply(await groupsOf(server).seal(idIn(params), by)),
    }),
    route({
      method: 'POST',
      path: `${path}:annotate`,
      operation: `annotate${Kind}`,
      summary: `Say something about a ${kind}`,
      about: 'Laid over its metadata; a field that is null goes.',
      needs: 'write',
      query: z.strictObject(changeQuery),
      body: z.strictObject({ metadata }),
      answers: { 200: { about: `The ${kind} as it is now`, schema }, ...NOT_THERE, ...STALE },
      handle: async ({ server, params, by, body }) =>
        recordReply(await groupsOf(server).annotate(idIn(params), body.metadata, by)),
    }),
  ]
}

/** Runs and workstreams have nearly the same to offer. */
export const groupRoutes: readonly Route[] = [
  ...ownRoutes,
  ...commonRoutes('run'),
  ...commonRoutes('workstream'),
]

function keyOf(request_key: string | null): { readonly request_key?: string } {
  return request_key === null ? {} : { request_key }
}

function created(record: { readonly etag: string }): Reply {
  return { ...recordReply(record), status: 201 }
}
