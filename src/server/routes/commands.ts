import { z } from 'zod'
import { isJsonObject, type Json } from '../../core/json.ts'
import { envelopeSchema } from '../../ledger/envelope.ts'
import type { Envelope } from '../../ledger/request.ts'
import { parsed } from '../../ledger/steering-schemas.ts'
import { refTo } from '../openapi/components.ts'
import { protocolSchema } from '../openapi/records/protocol-schemas.ts'
import { changeQuery } from '../request/query.ts'
import { namedTenant } from '../request/tenant.ts'
import { type Call, ok, type Reply, type Route, route } from '../route.ts'

export const accepted = z
  .strictObject({
    jobId: z.string(),
    duplicate: z.boolean().describe('The same request was accepted before: this is its job'),
    differing: z.array(z.string()).describe('For a known key: in which fields this request is another'),
  })
  .meta({ id: 'Accepted' })

const example = {
  tenant_id: 'acme',
  request_type: 'RENDER_PDF',
  input_ref: 's3://in/report.md',
  output_ref: 's3://out/report.pdf',
  payload: { pages: [1, 2, 3] },
  schema_version: 'v1',
}

const envelopeBody = envelopeSchema.meta({
  id: 'Envelope',
  description: 'A request',
  examples: [
    example,
    { ...example, idempotency_key: 'report-2024-06', priority: 'high', delay: '10m', tags: ['monthly'] },
  ],
})

const MOST_COMMANDS = 1000

export const commandRoutes: readonly Route[] = [
  route({
    method: 'POST',
    path: '/v1/commands',
    operation: 'submitJob',
    summary: 'Submit a job',
    about:
      'Accepts a request, durably, before it answers. The same request again is answered with the same job and creates ' +
      'nothing; so it may be repeated when the answer was lost. `Idempotency-Key` is the same as `idempotency_key`, ' +
      '`traceparent` the same as the field.',
    needs: 'write',
    query: z.strictObject(changeQuery),
    isKeyed: true,
    body: envelopeBody,
    isBodyCheckedBehind: true,
    answers: { 202: { about: 'It is accepted, or was before', schema: accepted } },
    async handle(call) {
      const { job_id, duplicate, differing } = await call.server.ledger.jobs.submit(
        envelopeIn(call, call.body, call.request_key),
        by(call),
      )
      return { status: 202, body: { jobId: job_id, duplicate, differing } }
    },
  }),
  route({
    method: 'POST',
    path: '/v1/commands:batch',
    operation: 'submitJobs',
    summary: 'Submit several jobs, all or none',
    about:
      'One change: if one of them is refused, none is made. Later ones may depend on earlier ones by their `job_id`.',
    needs: 'write',
    query: z.strictObject(changeQuery),
    isKeyed: true,
    body: z.strictObject({
      // Each is checked behind, like a request that comes alone.
      commands: z
        .array(z.unknown().meta(refTo('Envelope')))
        .min(1)
        .max(MOST_COMMANDS),
    }),
    answers: {
      202: { about: 'In the order of the requests', schema: z.strictObject({ jobs: z.array(accepted) }) },
    },
    async handle(call): Promise<Reply> {
      const { request_key: key } = call
      // The key is that of the whole; each request has a place in it.
      const envelopes = call.body.commands.map((envelope, i) =>
        envelopeIn(call, envelope, key === null ? null : `${key}/${i}`),
      )
      const answers = await call.server.ledger.batch((make) =>
        envelopes.map((envelope) => make.submit(envelope, by(call))),
      )
      const jobs = answers.map(({ job_id, duplicate, differing }) => ({
        jobId: job_id,
        duplicate,
        differing,
      }))
      return { status: 202, body: { jobs } }
    },
  }),
  route({
    method: 'GET',
    path: '/v1/protocols',
    operation: 'listProtocols',
    summary: 'How requests are answered, by type',
    needs: 'read',
    answers: {
      200: {
        about: 'The protocols that are registered',
        schema: z.strictObject({ items: z.array(protocolSchema) }),
      },
    },
    handle: ({ server }) => ok({ items: server.ledger.jobs.protocols }),
  }),
]

/** Whose it is follows from the token; what headers say counts where the body says nothing. */
function envelopeIn(
  call: Call<{ tenant_id?: string | undefined }>,
  given: unknown,
  request_key: string | null,
): Envelope {
  // The ledger takes pipelines too, which bring their own protocol: those are for programs, not for senders of requests.
  if (!isJsonObject(given as Json) || Object.hasOwn(given as object, 'protocol'))
    parsed(envelopeSchema, given)
  const envelope = given as Envelope
  const named: unknown = envelope.tenant_id
  const { headers, principal } = call
  // Missing and of the wrong type: the check of the envelope says so, in the same words for everybody.
  if (typeof named === 'string' && named !== '') namedTenant(principal, named)
  const isPlain = request_key === null && headers.traceparent === undefined
  if (isPlain && (named !== undefined || call.query.tenant_id === undefined)) return envelope
  return {
    ...envelope,
    ...(named === undefined && call.query.tenant_id !== undefined ? { tenant_id: call.tenant_id } : null),
    ...(request_key === null ? null : { idempotency_key: envelope.idempotency_key ?? request_key }),
    ...(headers.traceparent === undefined
      ? null
      : { traceparent: envelope.traceparent ?? traceIn(headers.traceparent) }),
  }
}

const TRACEPARENT = /^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/

/** One that makes no sense is as good as none: so says the standard. */
function traceIn(header: string | string[]): string | null {
  return typeof header === 'string' && TRACEPARENT.test(header) ? header : null
}

/** The tenant is in the request. */
function by({ actor, query: { reason } }: Call<{ reason?: string | undefined }>) {
  return reason === undefined ? { actor } : { actor, reason }
}
