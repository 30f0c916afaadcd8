import { z } from 'zod'
import { oneOrAll } from '../../ledger/tenant-to-find.ts'
import { eventsQueryOf, eventsQuerySchema } from '../events/events-query.ts'
import { responseSink } from '../events/response-sink.ts'
import { namedTenant } from '../request/tenant.ts'
import { HIJACKED, type Route, route } from '../route.ts'

export const eventRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/v1/events',
    operation: 'followEvents',
    summary: 'The history as it happens, as server-sent events',
    about:
      'The id of an event is its place in the history: `Last-Event-ID`, or `after`, goes on from there, with everything that ' +
      'came since and then what happens; nothing is left out and nothing comes twice. `after=0` begins at the beginning; ' +
      'without either it begins now. A client that reads too slowly is cut off, and goes on where it was. When part of the ' +
      'history was removed since, an event `gap` says so.',
    needs: 'read',
    query: eventsQuerySchema,
    answers: {
      200: {
        about: 'Events whose data is a record of the history',
        contentType: 'text/event-stream',
        schema: z.string(),
      },
    },
    async handle({ server, principal, query, headers, raw }) {
      const lastEventId = headers['last-event-id']
      const { after, filter } = eventsQueryOf(
        query,
        typeof lastEventId === 'string' ? lastEventId : undefined,
      )
      const { tenant_id: named } = filter
      const tenant_id = named === undefined ? undefined : oneOrAll(namedTenant(principal, named, true))
      await server.hub.open({
        sink: responseSink(raw.response),
        principal,
        filter: { ...filter, tenant_id },
        after,
        stillAllowed: () => server.clock.now() < (principal.expires ?? Number.POSITIVE_INFINITY),
      })
      return HIJACKED
    },
  }),
]
