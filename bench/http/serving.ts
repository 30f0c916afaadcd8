// A server in a process of its own: ours on a fresh journal, or a bare Fastify route that checks and echoes the same bodies.
// Which one, and where, it is told by its arguments; the address and a token go back by message.
import { fastify } from 'fastify'
import { openLedger } from 'waybill'
import { serve } from 'waybill/server'
import { BENCH_OPTIONS } from '../jobs/fresh-ledger.ts'
import { NO_SNAPSHOTS } from '../journal/no-snapshots.ts'

const text = { type: 'string', minLength: 1 }

/** The same fields as a request or a callback, checked by Fastify in its own way. */
const SCHEMAS = {
  submit: {
    type: 'object',
    required: ['tenant_id', 'request_type', 'input_ref', 'output_ref', 'payload', 'schema_version'],
    additionalProperties: false,
    properties: {
      tenant_id: text,
      request_type: text,
      input_ref: text,
      output_ref: text,
      payload: { type: 'object' },
      schema_version: { const: 'v1' },
    },
  },
  callback: {
    type: 'object',
    required: ['tenant_id', 'jobId', 'stepId', 'attempt_no', 'lease_id', 'status'],
    additionalProperties: false,
    properties: {
      tenant_id: text,
      jobId: text,
      stepId: text,
      attempt_no: { type: 'integer', minimum: 0 },
      lease_id: text,
      status: { enum: ['SUCCEEDED', 'FAILED'] },
      output: {},
    },
  },
}

export interface Served {
  readonly url: string
  readonly token: string
}

async function serveEcho(): Promise<Served> {
  const app = fastify()
  app.post('/v1/commands', { schema: { body: SCHEMAS.submit } }, async (request) => request.body)
  app.post('/v1/callbacks/result', { schema: { body: SCHEMAS.callback } }, async (request) => request.body)
  return { url: await app.listen({ port: 0, host: '127.0.0.1' }), token: '' }
}

async function serveLedger(folder: string): Promise<Served> {
  const ledger = await openLedger(folder, { ...BENCH_OPTIONS, journal: NO_SNAPSHOTS })
  const { url } = await serve(ledger)
  const { token } = await ledger.tokens.mint({ name: 'bench', role: 'operator', tenants: ['*'] })
  return { url, token }
}

const [, , what = '', folder = ''] = process.argv
process.send?.(what === 'echo' ? await serveEcho() : await serveLedger(folder))
