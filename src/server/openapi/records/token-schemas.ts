import { z } from 'zod'
import { statesOf } from '../../../core/machine.ts'
import { tokenMachine } from '../../../core/machines/token.ts'
import { EVERYBODY } from '../../../core/queue/record.ts'
import { ROLES } from '../../../core/token/record.ts'
import type { MintedToken, TokenInfo } from '../../../ledger/tokens.ts'
import { at, etag, id } from './field-schemas.ts'
import { schemaFor } from './schema-for.ts'

export const tokenSchema = schemaFor<TokenInfo>()(
  z.strictObject({
    kind: z.literal('token'),
    tenant_id: z.literal(EVERYBODY),
    token_id: id,
    state: z.enum(statesOf(tokenMachine)),
    state_since: at,
    name: z.string().describe('Who it is for: the actor in the history'),
    role: z.enum(ROLES),
    tenants: z.array(id).describe('`["*"]` for all of them'),
    expires_at: at.nullable(),
    created_at: at,
    updated_at: at,
    etag,
  }),
).meta({ id: 'Token', description: 'What is known of a token; the secret is nowhere' })

export const mintedTokenSchema = schemaFor<MintedToken>()(
  z.strictObject({
    token: z.string().describe('What its bearer shows. This is the only time that it is seen'),
    record: tokenSchema,
  }),
).meta({ id: 'MintedToken' })
