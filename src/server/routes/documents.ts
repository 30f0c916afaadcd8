import { z } from 'zod'
import type { LedgerState } from '../../core/document/states.ts'
import { statesOf } from '../../core/machine.ts'
import { documentMachine } from '../../core/machines/document.ts'
import { idSchema } from '../../ledger/envelope.ts'
import { auditPageSchema } from '../openapi/records/audit-schemas.ts'
import {
  bulkReportSchema,
  documentAsOfSchema,
  documentSchema,
  stuckDocumentSchema,
} from '../openapi/records/document-schemas.ts'
import { listSchema, pageSchema } from '../openapi/records/list-schemas.ts'
import { historyReply, pageReply, pick, recordReply } from '../request/fields.ts'
import { narrowed } from '../request/narrowed.ts'
import { found } from '../request/not-found.ts'
import {
  amount,
  changeQuery,
  fieldsQuery,
  listOf,
  listQuery,
  pageOf,
  pageQuery,
  tenantQuery,
  textQuery,
  time,
  wholeNumber,
} from '../request/query.ts'
import { NOT_THERE, ok, type Route, route, STALE } from '../route.ts'

const count = z.number().int().nonnegative()

const update = {
  state: z.string().min(1).max(100).describe('A state, or one of the old names'),
  adapter: z.string().max(10_000).optional(),
  metadata: z.record(z.string(), z.json()).optional(),
  error: z
    .union([
      z.string(),
      z.strictObject({
        error_type: z.string().optional(),
        error_message: z.string(),
        traceback: z.string().nullish(),
      }),
    ])
    .optional(),
  retry_count: count.optional(),
  max_retries: count.optional(),
}

export const documentUpdate = z.strictObject(update)

const MOST_UPDATES = 1000
const MOST_STUCK = 1000

export const documentRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/v1/documents',
    operation: 'listDocuments',
    summary: 'List documents',
    needs: 'read',
    acrossTenants: true,
    query: z.strictObject({
      ...listQuery,
      state: listOf(z.enum(statesOf(documentMachine))),
      adapter: z.string().max(10_000).optional(),
      ...textQuery,
    }),
    answers: { 200: { about: 'A page of documents', schema: pageSchema(documentSchema) } },
    async handle({ server: { ledger }, tenant_id, query, isEnough }) {
      const { state, adapter, fields, q, after, limit } = query
      const filter = { tenant_id, state: state as LedgerState[] | undefined, adapter }
      const page = await narrowed('document', { q, after, limit, isEnough }, (part) =>
        ledger.documents.list({ ...filter, ...pageOf(query), ...part }),
      )
      return pageReply(page, fields)
    },
  }),
  route({
    method: 'GET',
    path: '/v1/documents/{doc_id}',
    operation: 'getDocument',
    summary: 'A document, now or at an earlier time',
    needs: 'read',
    query: z.strictObject({
      ...tenantQuery,
      ...fieldsQuery,
      at: time.optional().describe('As it was at this time, told from its history'),
    }),
    answers: {
      200: { about: 'The document', schema: z.union([documentSchema, documentAsOfSchema]) },
      ...NOT_THERE,
    },
    async handle({ server, params, tenant_id, query: { at, fields } }) {
      const { documents } = server.ledger
      const id = params.doc_id as string
      if (at !== undefined)
        return ok(pick(found(await documents.asOf(id, at, tenant_id), 'document', id), fields))
      return recordReply(found(await documents.get(id, tenant_id), 'document', id), fields)
    },
  }),
  route({
    method: 'GET',
    path: '/v1/documents/{doc_id}/history',
    operation: 'listDocumentHistory',
    summary: 'Everything that happened to a document',
    needs: 'read',
    query: z.strictObject({ ...pageQuery, direction: z.enum(['asc', 'desc']).optional() }),
    answers: { 200: { about: 'A page of its history', schema: auditPageSchema }, ...NOT_THERE },
    async handle({ server: { ledger }, params, tenant_id, query }) {
      const id = params.doc_id as string
      found(await ledger.documents.get(id, tenant_id), 'document', id)
      const { limit, after, direction, fields } = query
      return historyReply(
        await ledger.audit.query({ kind: 'document', id, tenant_id, limit, after, direction }),
        fields,
      )
    },
  }),
  route({
    method: 'POST',
    path: '/v1/documents/{doc_id}:move',
    operation: 'moveDocument',
    summary: 'Move a document to a state',
    about:
      'A document not seen before is `pending`. An edge that the machine does not have is refused with 409, and recorded. ' +
      'With an `Idempotency-Key` the same call again changes nothing.',
    needs: 'write',
    query: z.strictObject(changeQuery),
    body: documentUpdate,
    isKeyed: true,
    answers: {
      200: { about: 'The document as it is now', schema: documentSchema },
      409: { about: 'There is no such edge' },
      ...STALE,
    },
    async handle({ server: { ledger }, params, by, body: { state, ...more }, request_key }) {
      const options = { ...by, ...more, ...(request_key === null ? null : { request_key }) }
      return recordReply(
        await ledger.documents.updateState(params.doc_id as string, state as LedgerState, options),
      )
    },
  }),
  route({
    method: 'POST',
    path: '/v1/documents:move',
    operation: 'moveDocuments',
    summary: 'Move many documents',
    about: 'Each is moved or refused by itself; those of one document in their order.',
    needs: 'write',
    query: z.strictObject(changeQuery),
    body: z.strictObject({
      updates: z
        .array(z.strictObject({ doc_id: idSchema, ...update }))
        .min(1)
        .max(MOST_UPDATES),
    }),
    answers: {
      200: { about: 'How many were moved, and which were refused and why', schema: bulkReportSchema },
    },
    async handle({ server: { ledger }, by: { if_match: _, ...by }, body, request_key: key }) {
      const updates = body.updates.map((one, i) => ({
        ...by,
        ...one,
        ...(key === null ? null : { request_key: `${key}/${i}` }),
      }))
      const { updated, refused, refusals } = await ledger.documents.updateMany(updates as never)
      return ok({
        updated,
        refused,
        refusals: refusals.map(({ index, update: { doc_id }, error }) => ({ index, doc_id, error })),
      })
    },
  }),
  route({
    method: 'GET',
    path: '/v1/stuck',
    operation: 'listStuck',
    summary: 'Documents that stay too long in an unfinished state',
    about: 'Without `hours` each state has its own measure: the time in which 99 of 100 documents left it.',
    needs: 'read',
    acrossTenants: true,
    query: z.strictObject({
      ...tenantQuery,
      ...fieldsQuery,
      hours: amount.optional(),
      state: listOf(z.enum(statesOf(documentMachine))),
      adapter: z.string().max(10_000).optional(),
      limit: wholeNumber(1, MOST_STUCK).optional().describe('100 unless given'),
    }),
    answers: { 200: { about: 'The longest first', schema: listSchema(stuckDocumentSchema) } },
    async handle({ server: { ledger }, tenant_id, query: { limit = 100, fields, ...query } }) {
      const items: object[] = []
      let is_more = false
      for await (const stuck of ledger.documents.stuck({ ...query, tenant_id } as never)) {
        is_more = items.length === limit
        if (is_more) break
        items.push(pick(stuck, fields))
      }
      return ok({ items, is_more })
    },
  }),
]
