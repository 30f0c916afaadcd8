import { z } from 'zod'
import { AUDIT_EVENTS } from '../../core/audit.ts'
import type { RecordKind } from '../../core/machines/all.ts'
import { machines } from '../../core/machines/all.ts'
import { AUDIT_FIELDS, type AuditField } from '../../ledger/audit-log.ts'
import { idSchema } from '../../ledger/envelope.ts'
import { oneOrAll } from '../../ledger/tenant-to-find.ts'
import { readOn } from '../../store/read-on.ts'
import { eventFilter } from '../events/events-query.ts'
import { selectionOf } from '../events/selection.ts'
import { auditCountSchema, auditPageSchema, durationRowSchema } from '../openapi/records/audit-schemas.ts'
import { historyReply } from '../request/fields.ts'
import { listOf, pageQuery, tenantQuery, time } from '../request/query.ts'
import { ok, type Route, route } from '../route.ts'

const kinds = z.enum(Object.keys(machines) as [RecordKind, ...RecordKind[]])
const text = z.string().min(1).max(10_000)

const filter = {
  kind: kinds.optional(),
  id: idSchema.optional(),
  job_id: idSchema.optional(),
  doc_id: idSchema.optional(),
  state: text.optional().describe('The state that was entered'),
  adapter: text.optional(),
  error_type: text.optional(),
  actor: text.optional(),
  event: z.enum(AUDIT_EVENTS).optional(),
  from: time.optional(),
  before: time.optional(),
}

/** Records that are looked at for one page, when not all of them are asked for. */
const MOST_LOOKED_AT = 50_000

const DEFAULT_BY: readonly AuditField[] = ['event']

export const auditRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/v1/audit',
    operation: 'listAudit',
    summary: 'Who did what to which record, when, why, and what was refused',
    needs: 'read',
    acrossTenants: true,
    about:
      'What is asked for beside ids, kinds and times is looked for in up to 50,000 records: a page may be short, or empty, and ' +
      'still have `next`.',
    query: z.strictObject({
      ...pageQuery,
      ...eventFilter,
      from: time.optional(),
      before: time.optional(),
      direction: z.enum(['asc', 'desc']).optional(),
    }),
    answers: { 200: { about: 'A page of the history', schema: auditPageSchema } },
    async handle({ server, principal, tenant_id, query, isEnough }) {
      const { fields, limit, after, from, before, direction, ...filter } = query
      const selection = selectionOf({ ...filter, tenant_id: oneOrAll(tenant_id) }, principal.tenants)
      const asked = { ...selection.query, from, before, direction }
      const page = await readOn({
        page: (part) => server.ledger.audit.query({ ...asked, ...part }),
        matches: selection.matches,
        after,
        limit,
        most: MOST_LOOKED_AT,
        isEnough,
      })
      return historyReply(page, fields)
    },
  }),
  route({
    method: 'GET',
    path: '/v1/audit/counts',
    operation: 'countAudit',
    summary: 'How many records of the history match, by the fields named',
    needs: 'read',
    acrossTenants: true,
    query: z.strictObject({ ...tenantQuery, ...filter, by: listOf(z.enum(AUDIT_FIELDS)) }),
    answers: {
      200: { about: 'The most frequent first', schema: z.strictObject({ items: z.array(auditCountSchema) }) },
    },
    async handle({ server, tenant_id, query: { by = DEFAULT_BY, tenant_id: _, ...query } }) {
      return ok({
        items: await server.ledger.audit.countBy(by, { ...query, tenant_id: oneOrAll(tenant_id) }),
      })
    },
  }),
  route({
    method: 'GET',
    path: '/v1/audit/durations',
    operation: 'listDurations',
    summary: 'How long records stayed in the states that they left',
    needs: 'read',
    acrossTenants: true,
    query: z.strictObject({
      ...tenantQuery,
      kind: kinds.optional(),
      state: text.optional(),
      adapter: text.optional(),
      by: z.enum(['adapter', 'state']).optional(),
      from: time.optional(),
      before: time.optional(),
    }),
    answers: {
      200: {
        about: 'Count, mean, p50, p95, p99 and maximum, in seconds',
        schema: z.strictObject({ items: z.array(durationRowSchema) }),
      },
    },
    async handle({ server, tenant_id, query: { tenant_id: _, ...query } }) {
      return ok({ items: await server.ledger.audit.durations({ ...query, tenant_id: oneOrAll(tenant_id) }) })
    },
  }),
]
