import { describe, expect, it } from 'vitest'
import { protocolOf, pulled, submitOf } from '../../../test/fixtures/job-commands.ts'
import { KernelLedger } from '../../../test/fixtures/kernel-ledger.ts'
import type { Json } from '../json.ts'
import { IN_FLIGHT } from './limits.ts'

/** A job whose one step is limited by these keys. */
function limitedBy(keys: readonly string[], payload: Json) {
  const limits = keys.map((key) => ({ key, max: 1 }))
  return submitOf({ protocol: protocolOf(pulled('only', { limits })), payload, priority: 1, doc_id: 'd 1' })
}

function keysOf(keys: readonly string[], payload: Json): readonly string[] {
  const ledger = new KernelLedger()
  ledger.run(limitedBy(keys, payload))
  return ledger.step().limits.map(({ key }) => key)
}

describe('keys of limits that come from the request', () => {
  it.each([
    ['gpu', {}, 'gpu'],
    ['customer:{payload.customer.id}', { customer: { id: 'acme' } }, 'customer:acme'],
    ['customer:{payload.customer.id}', { customer: { id: 42 } }, 'customer:42'],
    ['paid:{payload.paid}', { paid: false }, 'paid:false'],
    ['{payload.a}/{payload.b}', { a: 'x', b: 'y' }, 'x/y'],
    ['{tenant_id}:{request_type}', {}, 't1:TEST'],
    ['none:{payload.empty}', { empty: '' }, 'none:'],
    ['odd:{payload.a}{', { a: 'x' }, 'odd:x{'],
  ])('%s of %j is %s', (key, payload, filled) => {
    expect(keysOf([key], payload)).toEqual([filled])
  })

  it('keeps max and per_ms, and lets others alone', () => {
    const ledger = new KernelLedger()
    const limits = [
      { key: 'c:{payload.c}', max: 3, per_ms: 1000 },
      { key: 'gpu', max: 2 },
    ]
    ledger.submit({ protocol: protocolOf(pulled('only', { limits })), payload: { c: 'x' } })
    expect(ledger.step().limits).toEqual([
      { key: 'c:x', max: 3, per_ms: 1000 },
      { key: 'gpu', max: 2 },
    ])
  })

  it.each([
    ['payload.customer.id', {}],
    ['payload.customer.id', { customer: null }],
    ['payload.customer.id', { customer: 'acme' }],
    ['payload.customer.id', { customer: { id: null } }],
    ['payload.customer.id', { customer: { id: ['acme'] } }],
    ['payload.customer.id', { customer: { id: { name: 'acme' } } }],
    ['payload.customer.id', { customer: { id: 'x'.repeat(201) } }],
    ['payload.constructor.name', {}],
    ['nowhere', {}],
  ])('a request without a usable %s is refused, and says which path it lacks: %j', (path, payload) => {
    const ledger = new KernelLedger()
    expect(ledger.refusalOf(limitedBy(['gpu', `by:{${path}}`], payload))).toMatchObject({
      code: 'LIMIT_KEY_MISSING',
      field: path,
      details: { request_type: 'TEST', path },
    })
    expect(ledger.contents()).toEqual([])
    expect(ledger.used(IN_FLIGHT)).toBe(0)
  })

  it('names the first path that is missing, also in a later step', () => {
    const ledger = new KernelLedger()
    const limits = [{ key: '{payload.a}:{payload.b}', max: 1 }]
    const protocol = protocolOf(pulled('first'), pulled('second', { limits }))
    expect(ledger.refusalOf(submitOf({ protocol, payload: {} }))).toMatchObject({ field: 'payload.a' })
    expect(ledger.refusalOf(submitOf({ protocol, payload: { a: 1 } }))).toMatchObject({ field: 'payload.b' })
  })

  // A request could otherwise give back its own place among the open jobs, and so pass its tenant's limit.
  it.each(['in-flight', 'rate:gpu', 'queue:ocr'])('cannot make the reserved key %s', (value) => {
    const ledger = new KernelLedger()
    expect(ledger.refusalOf(limitedBy(['{payload.key}'], { key: value }))).toMatchObject({
      code: 'LIMIT_KEY_MISSING',
      field: 'payload.key',
    })
    expect(keysOf(['by:{payload.key}'], { key: value })).toEqual([`by:${value}`])
  })

  // Groups of ready work are named by their keys: one job could otherwise stand in the line of others, and hold them up.
  it('with spaces are told apart from two keys', () => {
    const ledger = new KernelLedger()
    const one = protocolOf(pulled('only', { limits: [{ key: 'a:{payload.v}', max: 1 }] }))
    const two = protocolOf(
      pulled('only', {
        limits: [
          { key: 'a:{payload.v}', max: 1 },
          { key: 'b', max: 1 },
        ],
      }),
    )
    ledger.submit({ protocol: one, payload: { v: 'x b' } })
    ledger.submit({ protocol: two, payload: { v: 'x' }, job_id: 'j2' })
    expect(ledger.job('j1').ready?.group).toBe('a:x%20b')
    expect(ledger.job('j2').ready?.group).toBe('a:x b')
  })

  it.each([
    ['50%', 'by:50%25'],
    ['a\nb', 'by:a%0Ab'],
    ['Müller', 'by:Müller'],
    ['\ud800', 'by:\ufffd'],
  ])('of %j stay on one line and apart', (v, key) => {
    expect(keysOf(['by:{payload.v}'], { v })).toEqual([key])
  })
})
