import { z } from 'zod'
import { scheduleSchema } from '../../ledger/steering-schemas.ts'
import { listSchema } from '../openapi/records/list-schemas.ts'
import { scheduleRecordSchema } from '../openapi/records/schedule-schema.ts'
import { pick, recordReply } from '../request/fields.ts'
import { found } from '../request/not-found.ts'
import { changeQuery, fieldsQuery, tenantQuery } from '../request/query.ts'
import { NOT_THERE, ok, type Route, route, STALE } from '../route.ts'

const MOST_SCHEDULES = 10_000

const path = '/v1/schedules/{schedule_id}'

function move(verb: 'pause' | 'resume', summary: string): Route {
  return route({
    method: 'POST',
    path: `${path}:${verb}`,
    operation: `${verb}Schedule`,
    summary,
    needs: 'write',
    query: z.strictObject(changeQuery),
    answers: {
      200: { about: 'The schedule as it is now', schema: scheduleRecordSchema },
      ...NOT_THERE,
      ...STALE,
    },
    handle: async ({ server, params, by }) =>
      recordReply(await server.ledger.schedules[verb](params.schedule_id as string, by)),
  })
}

export const scheduleRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/v1/schedules',
    operation: 'listSchedules',
    summary: 'List schedules',
    needs: 'read',
    acrossTenants: true,
    query: z.strictObject({
      ...tenantQuery,
      ...fieldsQuery,
      state: z.enum(['active', 'paused', 'removed']).optional(),
    }),
    answers: { 200: { about: 'All of them', schema: listSchema(scheduleRecordSchema) } },
    async handle({ server, tenant_id, query: { state, fields } }) {
      const items: object[] = []
      let is_more = false
      for await (const schedule of server.ledger.schedules.list({
        tenant_id,
        ...(state === undefined ? null : { state }),
      })) {
        is_more = items.length === MOST_SCHEDULES
        if (is_more) break
        items.push(pick(schedule, fields))
      }
      return ok({ items, is_more })
    },
  }),
  route({
    method: 'GET',
    path,
    operation: 'getSchedule',
    summary: 'A schedule',
    needs: 'read',
    query: z.strictObject({ ...tenantQuery, ...fieldsQuery }),
    answers: { 200: { about: 'The schedule', schema: scheduleRecordSchema }, ...NOT_THERE },
    async handle({ server, params, tenant_id, query }) {
      const id = params.schedule_id as string
      return recordReply(
        found(await server.ledger.schedules.get(id, tenant_id), 'schedule', id),
        query.fields,
      )
    },
  }),
  route({
    method: 'PUT',
    path,
    operation: 'putSchedule',
    summary: 'Make a schedule, or change the one there is',
    needs: 'write',
    query: z.strictObject(changeQuery),
    body: scheduleSchema.omit({ schedule_id: true }),
    answers: { 200: { about: 'The schedule as it is now', schema: scheduleRecordSchema }, ...STALE },
    async handle({ server, params, by, body }) {
      const schedule_id = params.schedule_id as string
      return recordReply(await server.ledger.schedules.put({ ...body, schedule_id } as never, by))
    },
  }),
  route({
    method: 'DELETE',
    path,
    operation: 'removeSchedule',
    summary: 'Submit nothing more by a schedule',
    needs: 'write',
    query: z.strictObject(changeQuery),
    answers: {
      200: { about: 'The schedule as it is now', schema: scheduleRecordSchema },
      ...NOT_THERE,
      ...STALE,
    },
    handle: async ({ server, params, by }) =>
      recordReply(await server.ledger.schedules.remove(params.schedule_id as string, by)),
  }),
  move('pause', 'Submit nothing by a schedule for now'),
  move('resume', 'Go on with the next time of a schedule'),
]
