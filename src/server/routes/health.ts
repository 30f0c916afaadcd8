import { z } from 'zod'
import { ok, type Route, route } from '../route.ts'

export const healthRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/healthz',
    operation: 'isAlive',
    summary: 'Whether the process answers',
    needs: 'nothing',
    answers: { 200: { about: 'It does', schema: z.strictObject({ status: z.literal('ok') }) } },
    handle: () => ok({ status: 'ok' }),
  }),
  route({
    method: 'GET',
    path: '/readyz',
    operation: 'isReady',
    summary: 'Whether requests can be served: the ledger can be written, and the server is not about to end',
    needs: 'nothing',
    answers: {
      200: { about: 'They can', schema: z.strictObject({ status: z.literal('ready') }) },
      503: {
        about: 'They cannot, and why',
        schema: z.strictObject({ status: z.literal('not ready'), reason: z.string() }),
      },
    },
    async handle({ server }) {
      const problem = await server.readiness()
      return problem === null
        ? ok({ status: 'ready' })
        : { status: 503, body: { status: 'not ready', reason: problem } }
    },
  }),
]
