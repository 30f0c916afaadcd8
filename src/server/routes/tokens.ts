import { z } from 'zod'
import { newTokenSchema } from '../../ledger/new-token-schema.ts'
import { listSchema } from '../openapi/records/list-schemas.ts'
import { mintedTokenSchema, tokenSchema } from '../openapi/records/token-schemas.ts'
import { recordReply } from '../request/fields.ts'
import { found } from '../request/not-found.ts'
import { changeQuery } from '../request/query.ts'
import { NOT_THERE, ok, type Route, route, STALE } from '../route.ts'

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
    answers: {
      200: { about: 'What is known of each; the secrets are nowhere', schema: listSchema(tokenSchema) },
    },
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
    answers: { 200: { about: 'The token', schema: tokenSchema }, ...NOT_THERE },
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
    answers: { 201: { about: 'The token, and what is known of it', schema: mintedTokenSchema } },
    handle: async (call) => ({
      status: 201,
      body: await call.server.ledger.tokens.mint(call.body, call.by),
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
    answers: { 200: { about: 'What is known of it', schema: tokenSchema }, ...NOT_THERE, ...STALE },
    handle: async (call) =>
      recordReply(await call.server.ledger.tokens.revoke(call.params.token_id as string, call.by)),
  }),
]
