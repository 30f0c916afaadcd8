// What a bearer shows: `wb_<id>_<secret>`. The id says which record to look at and may be seen by anybody; the secret is
// 256 bits that nobody can guess, and is kept nowhere but with its bearer. A secret of that size needs no slow hash.
import { createHash, timingSafeEqual } from 'node:crypto'
import type { Secrets } from '../world/secrets.ts'

const ID_BYTES = 6
const SECRET_BYTES = 32

/** As long as it is, so that texts of any other length are not even looked at. */
const FORM = /^wb_([0-9a-f]{12})_([\w-]{43})$/

export interface TokenParts {
  readonly token_id: string
  readonly secret: string
}

export function newToken(secrets: Secrets): TokenParts {
  return {
    token_id: Buffer.from(secrets.bytes(ID_BYTES)).toString('hex'),
    secret: Buffer.from(secrets.bytes(SECRET_BYTES)).toString('base64url'),
  }
}

export function tokenText({ token_id, secret }: TokenParts): string {
  return `wb_${token_id}_${secret}`
}

/** Null when it is no token, whatever else it is. */
export function parseToken(text: unknown): TokenParts | null {
  if (typeof text !== 'string') return null
  const [, token_id, secret] = FORM.exec(text) ?? []
  return token_id === undefined || secret === undefined ? null : { token_id, secret }
}

/** Whoever has a whole token at hand, or a part of it, need not take it apart; only its id is looked at, and told. */
export function tokenIdIn(text: string): string {
  return /^wb_([0-9a-f]{12})(?:_|$)/.exec(text)?.[1] ?? text
}

/** Of the text of the secret, not of its bytes: two texts may stand for the same bytes. */
export function secretHash(secret: string): string {
  return createHash('sha256').update(secret).digest('hex')
}

/** Takes as long whether or not it is the right one. */
export function isSecretOf(secret: string, hash: string): boolean {
  return timingSafeEqual(Buffer.from(secretHash(secret), 'hex'), Buffer.from(hash, 'hex'))
}
