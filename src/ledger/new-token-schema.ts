import { z } from 'zod'
import { ALL_TENANTS, ROLES } from '../core/token/record.ts'
import { durationSchema, idSchema, timeSchema } from './envelope.ts'

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
