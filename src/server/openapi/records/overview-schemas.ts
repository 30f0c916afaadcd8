import { z } from 'zod'
import type { Activity } from '../../../ledger/activity.ts'
import type { Holder, Overview, WaitingJob } from '../../../ledger/overview.ts'
import type { Tenant } from '../../../ledger/tenants.ts'
import { at, count, epochSeconds, id } from './field-schemas.ts'
import { runSchema } from './group-schemas.ts'
import { schemaFor } from './schema-for.ts'
import { causeSchema } from './why-schemas.ts'

const isMore = z.boolean().describe('There was more than one look takes in')
const counts = z.array(count)

export const activitySchema = schemaFor<Activity>()(
  z.strictObject({
    tenant_id: id.describe('`*` when it is about all of them'),
    from: at,
    until: at,
    step_seconds: count,
    complete_from: at
      .nullable()
      .describe('What happened before then is not all counted; null when everything is'),
    at: z.array(epochSeconds).describe('When each step begins, in epoch seconds'),
    submitted: counts,
    succeeded: counts,
    failed: counts,
    cancelled: counts,
    retried: counts.describe('Attempts that failed and are to be tried again'),
    refused: counts.describe('What a rule said no to'),
  }),
).meta({ id: 'Activity' })

const waitingJobSchema = schemaFor<WaitingJob>()(
  z.strictObject({
    tenant_id: id,
    job_id: id,
    request_type: z.string(),
    since: at,
    cause: causeSchema.shape.cause,
    message: z.string(),
  }),
).meta({ id: 'WaitingJob' })

const holderSchema = schemaFor<Holder>()(
  z.strictObject({
    name: z.string().describe('A worker, or a service that directives go to'),
    tenants: z.array(id),
    queues: z.array(z.string()),
    running: count,
    since: at.describe('When the oldest of its attempts began'),
    lease_expires_at: at.nullable().describe('When the first of its leases ends'),
    jobs: z
      .array(z.strictObject({ tenant_id: id, job_id: id, step_id: id, since: at }))
      .describe('The five that it has had for longest'),
  }),
).meta({ id: 'Holder' })

export const overviewSchema = schemaFor<Overview>()(
  z.strictObject({
    tenant_id: id.describe('`*` when it is about all of them'),
    waiting: z
      .strictObject({ count, is_more: isMore, oldest: z.array(waitingJobSchema) })
      .describe('Open jobs whose step nobody has, and the five that nothing happened to for longest'),
    outbox: z
      .strictObject({
        pending: count,
        is_more: isMore,
        oldest_at: at.nullable(),
        oldest_job_id: id.nullable(),
      })
      .describe('Directives that are still to be published'),
    workers: z
      .strictObject({ items: z.array(holderSchema), is_more: isMore })
      .describe('Who has steps now, those with the most of them first'),
    runs: z
      .strictObject({ items: z.array(runSchema), succeeded: count, ended: count })
      .describe('The ten that ended last, and how many ended in all'),
  }),
).meta({ id: 'Overview' })

export const tenantSchema = schemaFor<Tenant>()(
  z.strictObject({ tenant_id: id, open: count.describe('How many of its jobs have not ended') }),
).meta({ id: 'Tenant' })
