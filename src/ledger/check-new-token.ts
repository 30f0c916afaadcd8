import { z } from 'zod'
import { type Duration, durationMs } from '../core/duration.ts'
import { fromIso, toIso } from '../core/time.ts'
import { ALL_TENANTS, ROLES, type Role } from '../core/token/record.ts'
import { InvalidInput } from '../errors/input-errors.ts'
import { durationSchema, idSchema, timeSchema } from './envelope.ts'
import type { NewToken } from './new-token.ts'
import { parsed } from './steering-schemas.ts'

/** Tenants of a token. Who needs more needs all. */
const MOST_TENANTS = 100

const tenantsSchema = z
  .array(idSchema)
  .min(1, 'must name a tenant, or * for all of them')
  .max(MOST_TENANTS)
  .refine((tenants) => tenants.length === 1 || !tenants.includes(ALL_TENANTS), '* stands for all, and alone')
  .refine((tenants) => new Set(tenants).size === tenants.length, 'must name each tenant once')

export const newTokenSchema = z
  .strictObject({
    name: idSchema,
    role: z.enum(ROLES),
    tenants: tenantsSchema,
    expires_in: durationSchema.optional(),
    expires_at: timeSchema.optional(),
  })
  .refine(({ expires_in, expires_at }) => expires_in === undefined || expires_at === undefined, {
    path: ['expires_at'],
    message: 'must not be given together with expires_in',
  })

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
