// Whatever arrives where callbacks are taken: it is answered, and what is refused has changed nothing.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { callbackHandler, openLedger } from 'waybill'
import { virtualWorld } from 'waybill/testing'
import { atomicOcr } from '../../examples/protocols/atomic.ts'
import { keysOf } from '../../src/wire/secrets.ts'
import { signatureHeaders } from '../../src/wire/sign.ts'

const SECRET = 'what the services sign with'
const MAX_BYTES = 2000
const RUNS = Number(process.env.WAYBILL_RUNS ?? 600)
const seed = process.env.WAYBILL_SEED === undefined ? {} : { seed: Number(process.env.WAYBILL_SEED) }

type Field = 'tenant_id' | 'jobId' | 'stepId' | 'attempt_no' | 'lease_id'

/** Something at the place of a field: mostly what belongs there, or it would never get past the first one. */
const instead = fc.oneof(fc.jsonValue(), fc.constant(undefined), fc.nat(3), fc.string())
const spoiled = fc.dictionary(
  fc.constantFrom<Field>('tenant_id', 'jobId', 'stepId', 'attempt_no', 'lease_id'),
  instead,
  { maxKeys: 2 },
)
const more = fc.oneof(
  fc.constant({ status: 'SUCCEEDED' }),
  fc.record(
    {
      status: fc.constantFrom('SUCCEEDED', 'FAILED', 'failed'),
      output: fc.jsonValue(),
      output_ref: fc.oneof(fc.constant('s3://a'), fc.jsonValue()),
      failure_class: fc.oneof(fc.constantFrom('RETRYABLE', 'NON_RETRYABLE', null), fc.jsonValue()),
      error: fc.oneof(
        fc.record({ code: fc.string(), message: fc.string(), details: fc.jsonValue() }),
        fc.jsonValue(),
      ),
    },
    { requiredKeys: [] },
  ),
  fc.dictionary(fc.oneof(fc.string(), fc.constantFrom('__proto__', 'constructor', 'output')), fc.jsonValue()),
)

/** Bytes, JSON, JSON of the right shape, or almost; now and then deeper or longer than anybody would send. */
const request = fc.record({
  name: fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom('ack', 'heartbeat', 'result') },
    { weight: 1, arbitrary: fc.webPath() },
  ),
  method: fc.oneof(
    { weight: 12, arbitrary: fc.constant('POST') },
    { weight: 1, arbitrary: fc.constantFrom('GET', 'PUT', 'DELETE', 'OPTIONS', 'HEAD') },
  ),
  body: fc.oneof(
    { weight: 2, arbitrary: fc.uint8Array({ maxLength: 200 }).map((bytes) => ({ bytes })) },
    {
      weight: 1,
      arbitrary: fc
        .integer({ min: MAX_BYTES - 9, max: MAX_BYTES + 9 })
        .map((n) => ({ bytes: Buffer.alloc(n, 'x') })),
    },
    { weight: 2, arbitrary: fc.json().map((text) => ({ bytes: Buffer.from(text) })) },
    {
      weight: 1,
      arbitrary: fc.nat(900).map((depth) => ({ bytes: Buffer.from('['.repeat(depth) + ']'.repeat(depth)) })),
    },
    { weight: 8, arbitrary: fc.record({ spoiled, more }) },
  ),
  signed: fc.oneof(
    { weight: 8, arbitrary: fc.constant('well') },
    { weight: 2, arbitrary: fc.constantFrom('not at all', 'by another', 'long ago', 'over something else') },
    { weight: 1, arbitrary: fc.string({ unit: 'binary-ascii' }).map((text) => ({ text })) },
  ),
})

it('A12 whatever arrives is answered, and a refusal changes nothing', async () => {
  const world = virtualWorld()
  const ledger = await openLedger('memory:', { world, tenant_id: 't1', inFlightLimit: 1_000_000 })
  ledger.jobs.register(atomicOcr)
  const handler = callbackHandler(ledger.jobs, { secrets: SECRET, maxBytes: MAX_BYTES, clock: world.clock })
  const statuses = new Map<number, number>()

  /** A job that waits for its acknowledgement, and what would be said about it. */
  async function dispatched() {
    const envelope = {
      request_type: 'OCR',
      input_ref: 'in',
      output_ref: 'out',
      payload: {},
      schema_version: 'v1',
    } as const
    const idempotency_key = world.ids.next()
    const { job_id } = await ledger.jobs.submit({ tenant_id: 't1', ...envelope, idempotency_key })
    const [row] = await ledger.jobs.takeDirectives({ services: ['ocr'] })
    return { tenant_id: 't1', jobId: job_id, stepId: 'ocr', attempt_no: 1, lease_id: row?.lease_id ?? '' }
  }

  await fc.assert(
    fc.asyncProperty(request, async ({ name, method, body, signed }) => {
      const attempt = await dispatched()
      const before = await ledger.jobs.show(attempt.jobId)
      const bytes =
        'bytes' in body
          ? body.bytes
          : Buffer.from(
              JSON.stringify({ ...attempt, ...(name === 'result' ? body.more : null), ...body.spoiled }),
            )
      const hasBody = method !== 'GET' && method !== 'HEAD'
      const response = await handler(
        new Request(`http://127.0.0.1/${name}`, {
          method,
          headers: headersOf(bytes, signed, world.clock.now()),
          body: hasBody ? Buffer.from(bytes) : null,
        }),
      )
      const { status } = response
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
      expect(status === 200 || (status >= 400 && status < 500)).toBe(true)
      const answer = (await response.json()) as { status: unknown; code?: unknown }
      if (status === 200) {
        expect(['accepted', 'ignored']).toContain(answer.status)
      } else {
        expect(answer).toMatchObject({ status, code: expect.any(String), detail: expect.any(String) })
        expect(await ledger.jobs.show(attempt.jobId)).toEqual(before)
      }
    }),
    { numRuns: RUNS, ...seed },
  )
  // Or the test would be about nothing.
  for (const status of [200, 400, 401, 404, 405, 409, 413])
    expect(statuses.get(status) ?? 0).toBeGreaterThan(0)
  await ledger.close()
})

function headersOf(body: Uint8Array, signed: string | { readonly text: string }, now: number) {
  if (signed === 'not at all') return {}
  const secret = signed === 'by another' ? 'what somebody else signs with' : SECRET
  const at = signed === 'long ago' ? now - 3_600_000 : now
  const over = signed === 'over something else' ? Buffer.concat([body, Buffer.from(' ')]) : body
  const headers = signatureHeaders({ id: 'm1', body: over }, keysOf(secret), at)
  if (typeof signed === 'string') return headers
  // What no header can hold cannot arrive either.
  return { ...headers, 'webhook-signature': signed.text.replace(/[^\x21-\x7e]/g, '?') }
}
