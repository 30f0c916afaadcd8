import { type Duration, durationMs } from '../core/duration.ts'
import { fromIso, toIso } from '../core/time.ts'
import type { Role } from '../core/token/record.ts'
import { InvalidInput } from '../errors/input-errors.ts'
import type { NewToken } from './new-token.ts'
import { newTokenSchema } from './new-token-schema.ts'
import { parsed } from './steering-schemas.ts'

export interface CheckedToken {
  readonly name: string
  readonly role: Role
  readonly tenants: readonly string[]
  readonly expires_at: string | null
}

export function checkNewToken(token: NewToken, now: number): CheckedToken {
  const { expires_in, expires_at, ...rest } = parsed(newTokenSchema, token)
  return {
    ...rest,
    tenants: Object.freeze(rest.tenants),
    expires_at: expiry(expires_in, expires_at, now),
  }
}

/** The last instant whose year has four digits: later ones are written in another way, and do not sort. */
const LATEST = Date.UTC(9999, 11, 31, 23, 59, 59, 999)

function expiry(
  expires_in: Duration | undefined,
  expires_at: string | undefined,
  now: number,
): string | null {
  if (expires_at !== undefined) return laterThan(now, 'expires_at', fromIso(expires_at))
  if (expires_in !== undefined) return laterThan(now, 'expires_in', now + (durationMs(expires_in) as number))
  return null
}

function laterThan(now: number, field: string, at: number): string {
  if (at > now && at <= LATEST) return toIso(at)
  const what = at > now ? 'lies too far in the future' : 'is over already'
  throw new InvalidInput(
    field,
    `${field}: the time of the token ${what}`,
    'Give a time to come, such as 90d; leave it out for a token that is good until it is revoked.',
  )
}
