import { z } from 'zod'
import { queueLimitsSchema } from '../../ledger/steering-schemas.ts'
import { listSchema } from '../openapi/records/list-schemas.ts'
import { queueLoadSchema, queueSchema } from '../openapi/records/queue-schemas.ts'
import { recordReply } from '../request/fields.ts'
import { found } from '../request/not-found.ts'
import { changeQuery } from '../request/query.ts'
import { NOT_THERE, ok, type Route, route, STALE } from '../route.ts'

function steer(verb: 'pause' | 'resume', summary: string): Route {
  return route({
    method: 'POST',
    path: `/v1/queues/{queue}:${verb}`,
    operation: `${verb}Queue`,
    summary,
    needs: 'write',
    everybody: true,
    query: z.strictObject(changeQuery),
    answers: { 200: { about: 'The queue as it is now', schema: queueSchema }, ...STALE },
    handle: async (call) =>
      recordReply(await call.server.ledger.queues[verb](call.params.queue as string, call.by)),
  })
}

/** Queues are the same for all tenants, and so is whoever may see and steer them. */
export const queueRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/v1/queues',
    operation: 'listQueues',
    summary: 'What waits and runs in each queue',
    needs: 'read',
    everybody: true,
    answers: {
      200: { about: 'Queues that have work, or that somebody steered', schema: listSchema(queueLoadSchema) },
    },
    async handle({ server }) {
      const { queues: items, is_more } = await server.ledger.queues.loads()
      return ok({ items, is_more })
    },
  }),
  route({
    method: 'GET',
    path: '/v1/queues/{queue}',
    operation: 'getQueue',
    summary: 'What waits and runs in a queue',
    needs: 'read',
    everybody: true,
    answers: { 200: { about: 'The queue', schema: queueLoadSchema }, ...NOT_THERE },
    async handle({ server, params }) {
      const queue = params.queue as string
      return ok(found(await server.ledger.queues.load(queue), 'queue', queue))
    },
  }),
  steer('pause', 'Hand nothing new out of a queue; what runs goes on'),
  steer('resume', 'Hand out again'),
  route({
    method: 'POST',
    path: '/v1/queues/{queue}:limit',
    operation: 'limitQueue',
    summary: 'How much of a queue may run at once, or begin within a while',
    about: 'What is absent stays as it is; null takes a limit away.',
    needs: 'write',
    everybody: true,
    query: z.strictObject(changeQuery),
    body: queueLimitsSchema,
    answers: { 200: { about: 'The queue as it is now', schema: queueSchema }, ...STALE },
    handle: async (call) =>
      recordReply(await call.server.ledger.queues.limit(call.params.queue as string, call.body, call.by)),
  }),
]
