import { InvalidInput } from '../errors/input-errors.ts'

/**
 * One secret, or several while they are exchanged for new ones. `whsec_` and base64 is the form that Standard Webhooks
 * gives them; other text, and bytes, are taken as they are.
 */
export type Secrets = string | Uint8Array | readonly (string | Uint8Array)[]

export type Keys = readonly Uint8Array[]

const PREFIX = 'whsec_'
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/

/** Shorter ones can be guessed. */
const SHORTEST_BYTES = 16
/** A message is compared with each of them. */
const MOST_SECRETS = 10

const NEXT = `Make one with: echo ${PREFIX}$(openssl rand -base64 32)`

/** The secrets as keys; none of them is ever part of an error. */
export function keysOf(secrets: Secrets, field = 'secrets'): Keys {
  const all = typeof secrets === 'string' || secrets instanceof Uint8Array ? [secrets] : secrets
  if (!Array.isArray(all) || all.length === 0 || all.length > MOST_SECRETS) {
    throw new InvalidInput(field, `${field} must be one secret, or a list of 1 to ${MOST_SECRETS}`, NEXT)
  }
  return all.map((secret) => keyOf(secret, field))
}

function keyOf(secret: unknown, field: string): Uint8Array {
  const key = bytesOf(secret)
  if (key === null) throw new InvalidInput(field, `${field}: what follows ${PREFIX} is not base64`, NEXT)
  if (key.length >= SHORTEST_BYTES) return key
  throw new InvalidInput(field, `${field}: a secret has at least ${SHORTEST_BYTES} bytes`, NEXT)
}

function bytesOf(secret: unknown): Uint8Array | null {
  if (secret instanceof Uint8Array) return secret
  if (typeof secret !== 'string') return new Uint8Array(0)
  if (!secret.startsWith(PREFIX)) return Buffer.from(secret)
  const encoded = secret.slice(PREFIX.length)
  return BASE64.test(encoded) ? Buffer.from(encoded, 'base64') : null
}
