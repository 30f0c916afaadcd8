import fc from 'fast-check'
import { describe, expect, expectTypeOf, it } from 'vitest'
import type { z } from 'zod'
import type { StepResult } from '../core/job/commands.ts'
import { type Identity, identityText } from './canonical-json.ts'
import { checkedEnvelope } from './checked-envelope.ts'
import { checkedResult } from './checked-result.ts'
import type { envelopeSchema } from './envelope.ts'
import { plainEnvelope } from './plain-envelope.ts'
import type { Envelope } from './request.ts'
import { parseResult } from './result.ts'

const REQUEST = {
  tenant_id: 't1',
  request_type: 'OCR',
  input_ref: 'in',
  output_ref: 'out',
  payload: { pages: [1, 2] },
  schema_version: 'v1',
}

const FULL = {
  ...REQUEST,
  job_id: 'job-1',
  doc_id: 'doc:1',
  mode: 'BURST',
  idempotency_key: 'key',
  correlation_id: '',
  traceparent: '00-…',
  callback_urls: null,
  priority: 'high',
  depends_on: ['a', 'b'],
  on_dependency_failure: 'skip',
  run_at: null,
  delay: null,
  expires_at: null,
  run_id: 'run',
  workstream_id: 'ws',
  tags: ['x'],
}

/** Sound ones, and what people get wrong. */
const anyField = fc.oneof(
  fc.constantFrom<unknown>(
    undefined,
    null,
    '',
    ' ',
    'a',
    'x'.repeat(513),
    'with\ncontrol',
    'v1',
    'v2',
    'DEFAULT',
    'low',
    'fail',
    0,
    -0,
    3,
    4,
    1.5,
    '15m',
    '2025-01-02T03:04:05Z',
    true,
    {},
    { uri: 'file' },
    { uri: '' },
    { done: 'https://example.com' },
    [],
    ['a'],
    ['a', ''],
    [1],
    Array(1),
    Array(101).fill('tag'),
    Array(1001).fill('id'),
    new Date(0),
    new String('text'),
  ),
  fc.string(),
  fc.jsonValue(),
)

const anyEnvelope = fc
  .tuple(
    fc.constantFrom(REQUEST, FULL),
    fc.dictionary(fc.constantFrom(...Object.keys(FULL), 'unknown'), anyField, { maxKeys: 3 }),
    fc.subarray(Object.keys(REQUEST), { maxLength: 1 }),
  )
  .map(([base, changed, without]) => {
    const envelope: { [field: string]: unknown } = { ...base, ...changed }
    for (const field of without) delete envelope[field]
    return envelope
  })

it('has a type with every field that the schema takes', () => {
  expectTypeOf<keyof Envelope>().toEqualTypeOf<keyof z.input<typeof envelopeSchema>>()
})

describe('a request that is checked by hand', () => {
  it('is what the schema makes of it, and whatever the schema refuses is not taken', () => {
    fc.assert(
      fc.property(anyEnvelope, (envelope) => {
        const plain = plainEnvelope(envelope)
        if (plain === null) return
        const { payloadText, payloadInOrder: _, ...rest } = plain
        expect(rest).toEqual(checkedEnvelope(envelope))
        expect(payloadText).toBe(JSON.stringify(rest.payload))
        expect(identityText(plain as Identity)).toBe(identityText(rest as Identity))
      }),
      { numRuns: 5000 },
    )
  })

  it('is nearly every one', () => {
    for (const envelope of [REQUEST, FULL]) {
      const plain = plainEnvelope(envelope)
      expect(plain).toEqual({ ...checkedEnvelope(envelope), payloadText: '{"pages":[1,2]}' })
      expect(Object.isFrozen(plain?.payload)).toBe(true)
      expect(plain?.depends_on).not.toBe(FULL.depends_on)
    }
  })

  it('is nothing that is not a plain object', () => {
    class Own {
      tenant_id = 't1'
    }
    for (const odd of [null, undefined, 'text', 1, [], new Own(), Object.create(REQUEST)]) {
      expect(plainEnvelope(odd)).toBeNull()
    }
  })

  it('is not changed by whoever has the original', () => {
    const payload = { pages: [1] }
    const depends_on = ['a']
    const plain = plainEnvelope({ ...REQUEST, payload, depends_on })
    payload.pages.push(2)
    depends_on.push('b')
    expect([plain?.payload, plain?.depends_on]).toEqual([{ pages: [1] }, ['a']])
  })
})

describe('a result that is checked by hand', () => {
  const said = (parse: () => unknown) => {
    try {
      return parse()
    } catch (error) {
      return (error as Error).message
    }
  }
  const keep = (text: string) => text

  it('is what the schema makes of it, refusals and all', () => {
    const anyResult = fc.oneof(
      fc.dictionary(
        fc.constantFrom('status', 'output', 'output_ref', 'error', 'unknown'),
        fc.oneof(fc.constantFrom('SUCCEEDED', 'FAILED', undefined, null), anyField),
      ),
      fc.record({ status: fc.constant('SUCCEEDED'), output: anyField }),
      fc.constantFrom<unknown>(null, 'SUCCEEDED', [], Object.create({ status: 'SUCCEEDED' })),
    )
    fc.assert(
      fc.property(anyResult, (result) => {
        const by = (parse: typeof parseResult) => said(() => parse(result as StepResult, keep))
        expect(by(parseResult)).toEqual(by(checkedResult))
      }),
      { numRuns: 2000 },
    )
  })

  it('is frozen', () => {
    const result = parseResult({ status: 'SUCCEEDED', output: { pages: [1] } }, keep)
    expect(result).toEqual({ status: 'SUCCEEDED', output: { pages: [1] } })
    expect(Object.isFrozen((result as { output: object }).output)).toBe(true)
  })
})
