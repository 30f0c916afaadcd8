import { z } from 'zod'
import { UnknownPath } from '../../errors/message-errors.ts'
import { type Route, route } from '../route.ts'

export const metricsRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/metrics',
    operation: 'getMetrics',
    summary: 'Metrics, as Prometheus reads them',
    needs: 'read',
    everybody: true,
    answers: {
      200: { about: 'In the text format', contentType: 'text/plain', schema: z.string() },
      404: { about: 'The server was started without metrics' },
    },
    async handle({ server: { registry } }) {
      if (registry === null) throw new UnknownPath(['none: the server was started without metrics'])
      return {
        status: 200,
        body: await registry.metrics(),
        headers: { 'content-type': registry.contentType },
      }
    },
  }),
]
