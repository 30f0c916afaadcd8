import { z } from 'zod'
import { EVERYBODY } from '../../core/queue/record.ts'
import { newTokenSchema } from '../../ledger/new-token.ts'
import { recordReply } from '../request/fields.ts'
import { found } from '../request/not-found.ts'
import { changeQuery } from '../request/query.ts'
import { type Call, ok, type Route, route } from '../route.ts'

const MOST_TOKENS = 10_000

const admin = { needs: 'admin', everybody: true, isAdmin: true } as const

/** Who may come in. */
export const tokenRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/v1/admin/tokens',
    operation: 'listTokens',
    summary: 'List tokens, those that were revoked too',
    ...admin,
    query: z.strictObject({ state: z.enum(['active', 'revoked']).optional() }),
    answers: { 200: { about: 'What is known of each; the secrets are nowhere' } },
    async handle({ server, query: { state } }) {
      const items: object[] = []
      let is_more = false
      for await (const token of server.ledger.tokens.list({ state })) {
        is_more = items.length === MOST_TOKENS
        if (is_more) break
        items.push(token)
      }
      return ok({ items, is_more })
    },
  }),
  route({
    method: 'GET',
    path: '/v1/admin/tokens/{token_id}',
    operation: 'getToken',
    summary: 'What is known of a token',
    ...admin,
    answers: { 200: { about: 'The token' } },
    async handle({ server, params }) {
      const id = params.token_id as string
      return recordReply(found(await server.ledger.tokens.get(id), 'token', id))
    },
  }),
  route({
    method: 'POST',
    path: '/v1/admin/tokens',
    operation: 'mintToken',
    summary: 'Make a token',
    about: 'This is the only time that the token itself is seen.',
    ...admin,
    query: z.strictObject(changeQuery),
    body: newTokenSchema,
    answers: { 201: { about: 'The token, and what is known of it' } },
    handle: async (call) => ({
      status: 201,
      body: await call.server.ledger.tokens.mint(call.body, by(call)),
    }),
  }),
  route({
    method: 'POST',
    path: '/v1/admin/tokens/{token_id}:revoke',
    operation: 'revokeToken',
    summary: 'Let nobody in by a token any more',
    about: 'Streams and sessions that it opened are ended.',
    ...admin,
    query: z.strictObject(changeQuery),
    answers: { 200: { about: 'What is known of it' } },
    async handle(call) {
      const record = await call.server.ledger.tokens.revoke(call.params.token_id as string, by(call))
      call.server.authenticator.revoked(record.token_id)
      return recordReply(record)
    },
  }),
]

function by(call: Call) {
  return { ...call.by, tenant_id: EVERYBODY }
}
