import { type AuditEntry, steeringEntry } from '../audit.ts'
import { change, type Decision, type Given, need, type Refused, refuse } from '../decision.ts'
import type { JsonObject } from '../json.ts'
import { tokenMachine } from '../machines/token.ts'
import { EVERYBODY } from '../queue/record.ts'
import { toIso } from '../time.ts'
import type { Role, TokenRecord } from './record.ts'

interface ToToken {
  readonly tenant_id: typeof EVERYBODY
  readonly token_id: string
  readonly actor: string
  readonly reason: string | null
  readonly if_match?: string | undefined
}

/** Let somebody in. Whoever made up the id and the secret has the secret; here is only what it hashes to. */
export interface MintToken extends ToToken {
  readonly type: 'mintToken'
  readonly name: string
  readonly role: Role
  readonly tenants: readonly string[]
  readonly hash: string
  readonly expires_at: string | null
}

/** Let nobody in with it any more. */
export interface RevokeToken extends ToToken {
  readonly type: 'revokeToken'
}

export type TokenCommand = MintToken | RevokeToken

export function decideToken(command: TokenCommand, given: Given): Decision<TokenRecord> {
  const { token_id } = command
  const before = given.get('token', EVERYBODY, token_id)
  if (before === undefined) return need([{ kind: 'token', tenant_id: EVERYBODY, id: token_id }])
  if (command.if_match !== undefined && command.if_match !== (before?.etag ?? '')) {
    return refuseStale(command, before, given.now)
  }
  if (command.type === 'mintToken') return before === null ? mint(command, given.now) : taken(command)
  return before === null ? notFound(command) : revoke(command, before, given.now)
}

function mint(command: MintToken, now: number): Decision<TokenRecord> {
  const { token_id, name, role, tenants, hash, expires_at } = command
  const at = toIso(now)
  const after: TokenRecord = {
    kind: 'token',
    tenant_id: EVERYBODY,
    token_id,
    state: tokenMachine.initial,
    state_since: at,
    name,
    role,
    tenants,
    hash,
    expires_at,
    created_at: at,
    updated_at: at,
    etag: '',
  }
  return change(after, { puts: [after], audit: [movedEntry(command, null, after, now)] })
}

/** Revoking twice is no news. */
function revoke(command: RevokeToken, before: TokenRecord, now: number): Decision<TokenRecord> {
  if (before.state === 'revoked') return change(before, {})
  const at = toIso(now)
  const after: TokenRecord = { ...before, state: 'revoked', state_since: at, updated_at: at, etag: '' }
  return change(after, { puts: [after], audit: [movedEntry(command, before, after, now)] })
}

/** The history says what the token was good for. The hash is nobody's business there. */
function movedEntry(
  command: TokenCommand,
  before: TokenRecord | null,
  after: TokenRecord,
  now: number,
): AuditEntry {
  const { name, role, tenants, expires_at } = after
  const metadata = { name, role, tenants, expires_at }
  return entryOf(
    command,
    { event: 'moved', path: [before?.state ?? null, after.state], metadata },
    before,
    now,
  )
}

function entryOf(
  { token_id, actor, reason }: TokenCommand,
  told: Pick<AuditEntry, 'event' | 'path'> & { readonly metadata: JsonObject },
  before: TokenRecord | null,
  now: number,
): AuditEntry {
  const about = { tenant_id: EVERYBODY, kind: 'token', id: token_id, adapter: 'token' } as const
  return steeringEntry({ ...told, ...about, actor, reason }, now, before?.state_since)
}

function refuseStale(command: TokenCommand, before: TokenRecord | null, now: number): Refused {
  const { token_id, if_match, type } = command
  const metadata = { refusal: 'STALE_ETAG', command: type }
  return refuse(
    {
      code: 'STALE_ETAG',
      message: `The token ${token_id} has changed since etag ${if_match} was read`,
      field: 'if_match',
      next: 'Read it again, look at what changed, and repeat the command with the new etag.',
      details: { token_id, etag: before?.etag ?? null },
    },
    before === null
      ? null
      : entryOf(command, { event: 'refused', path: [before.state, before.state], metadata }, before, now),
  )
}

function taken({ token_id }: MintToken): Refused {
  return refuse({
    code: 'TOKEN_EXISTS',
    message: `There is a token ${token_id} already`,
    field: 'token_id',
    next: 'Ask again: every token gets an id of its own.',
    details: { token_id },
  })
}

function notFound({ token_id }: RevokeToken): Refused {
  return refuse({
    code: 'NOT_FOUND',
    message: `The token ${token_id} is not known here`,
    field: 'token_id',
    next: 'Check its id: it is the part of the token between wb_ and the next underscore.',
    details: { token_id },
  })
}
