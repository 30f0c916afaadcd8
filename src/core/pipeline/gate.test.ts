import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Json, JsonObject } from '../json.ts'
import {
  type Condition,
  describe as describeGate,
  type Gate,
  type GateFacts,
  type GateOp,
  isOpen,
  looksAtDocument,
  watched,
} from './gate.ts'

const FACTS: GateFacts = {
  entry: { status: 'processing', stage: 'chunk', error_reason: null },
  metadata: {
    pages: 12,
    'stage.chunk.output_count': 5,
    stage: { chunk: { output_count: 99, attempts: 2 }, parse: { attempts: 1 } },
    'a.b': { c: 1 },
    a: { b: { c: 2, d: 3 } },
    list: [{ x: 1 }],
    nothing: null,
  },
  document: { state: 'ir_ready', metadata: { 'pdf.ready': true, size: { w: 1, h: 2 } } },
}

function gateOf(when: Condition): Gate {
  return { name: 'g', when }
}

function check(field: string, op: GateOp, value?: Json, facts: GateFacts = FACTS, seen: JsonObject = {}) {
  return isOpen(gateOf({ field, op, ...(value === undefined ? {} : { value }) }), facts, seen)
}

describe('A54: when a gate is open', () => {
  it('looks at the entry, its metadata and the document', () => {
    expect(check('entry.status', 'equals', 'processing')).toBe(true)
    expect(check('entry.stage', 'equals', 'embed')).toBe(false)
    expect(check('metadata.pages', 'equals', 12)).toBe(true)
    expect(check('document.state', 'equals', 'ir_ready')).toBe(true)
    expect(check('document.metadata.pdf.ready', 'equals', true)).toBe(true)
    expect(check('document.metadata.size.h', 'in', [1, 2])).toBe(true)
  })

  it('takes the longest key that is there, and looks for the rest of the name inside it', () => {
    expect(check('metadata.stage.chunk.output_count', 'equals', 5)).toBe(true)
    expect(check('metadata.stage.chunk.attempts', 'equals', 2)).toBe(true)
    expect(check('metadata.stage.parse.attempts', 'equals', 1)).toBe(true)
    expect(check('metadata.a.b.c', 'equals', 1)).toBe(true)
    // The longer key wins, also where the shorter one would have led somewhere.
    expect(check('metadata.a.b.d', 'exists')).toBe(false)
    expect(check('metadata.list.0', 'exists')).toBe(false)
    expect(check('metadata.list.length', 'exists')).toBe(false)
    expect(check('metadata.pages.toFixed', 'exists')).toBe(false)
  })

  it('compares whole values', () => {
    expect(check('document.metadata.size', 'equals', { h: 2, w: 1 })).toBe(true)
    expect(check('document.metadata.size', 'equals', { h: 2 })).toBe(false)
    expect(check('document.metadata.size', 'not_equals', { h: 2 })).toBe(true)
    expect(check('document.metadata.size', 'not_equals', { h: 2, w: 1 })).toBe(false)
    expect(check('metadata.list', 'in', [[], [{ x: 1 }]])).toBe(true)
    expect(check('metadata.list', 'in', [[], [{ x: 2 }]])).toBe(false)
    expect(check('metadata.pages', 'in', 'no list')).toBe(false)
  })

  it('knows what is missing', () => {
    for (const facts of [FACTS, { ...FACTS, document: null }]) {
      expect(check('document.gone', 'exists', undefined, facts)).toBe(false)
      expect(check('document.gone', 'exists', true, facts)).toBe(false)
      expect(check('document.gone', 'exists', false, facts)).toBe(true)
      expect(check('document.gone', 'equals', null, facts)).toBe(false)
      expect(check('document.gone', 'not_equals', 'x', facts)).toBe(true)
      expect(check('document.gone', 'in', [null, 'x'], facts)).toBe(false)
      expect(check('document.gone', 'changed', undefined, facts)).toBe(false)
    }
  })

  it('a field that is null is one that there is nothing in', () => {
    expect(check('entry.error_reason', 'exists')).toBe(false)
    expect(check('entry.error_reason', 'exists', false)).toBe(true)
    expect(check('metadata.nothing', 'equals', null)).toBe(true)
    expect(check('metadata.nothing', 'in', [null])).toBe(true)
  })

  it('a field that comes, goes or is another one has changed', () => {
    const changed = (seen: JsonObject, field = 'metadata.pages') =>
      check(field, 'changed', undefined, FACTS, seen)
    expect(changed({ 'metadata.pages': 12 })).toBe(false)
    expect(changed({ 'metadata.pages': 13 })).toBe(true)
    expect(changed({})).toBe(true)
    expect(changed({ 'metadata.gone': 1 }, 'metadata.gone')).toBe(true)
    expect(changed({}, 'metadata.gone')).toBe(false)
    // Missing is a value of its own, and not null.
    expect(changed({}, 'metadata.nothing')).toBe(true)
    expect(changed({ 'metadata.nothing': null }, 'metadata.nothing')).toBe(false)
    expect(changed({ 'metadata.gone': null }, 'metadata.gone')).toBe(true)
  })

  it('all and any, nested', () => {
    const yes: Condition = { field: 'metadata.pages', op: 'exists' }
    const no: Condition = { field: 'metadata.gone', op: 'exists' }
    const open = (when: Condition) => isOpen(gateOf(when), FACTS, {})
    expect(open({ all: [yes, yes] })).toBe(true)
    expect(open({ all: [yes, no] })).toBe(false)
    expect(open({ any: [no, yes] })).toBe(true)
    expect(open({ any: [no, no] })).toBe(false)
    expect(open({ all: [yes, { any: [no, { all: [yes] }] }] })).toBe(true)
  })

  it('never reaches behind an object, nor anywhere else', () => {
    const own = JSON.parse('{"__proto__": {"x": 1}, "constructor": 1, "prototype": 2}') as JsonObject
    const facts: GateFacts = { entry: own, metadata: {}, document: { metadata: own } }
    const fields = ['__proto__', '__proto__.x', 'constructor', 'constructor.name', 'prototype', 'toString']
    for (const name of fields) {
      for (const from of ['entry', 'metadata', 'document', 'document.metadata', 'facts', '', '__proto__']) {
        expect([`${from}.${name}`, check(`${from}.${name}`, 'exists', undefined, facts)]).toEqual([
          `${from}.${name}`,
          false,
        ])
      }
    }
    expect(watched(gateOf({ field: 'entry.__proto__', op: 'changed' }), facts)).toEqual({})
  })
})

describe('what is kept of a gate when a job is parked', () => {
  const gate = gateOf({
    any: [
      { field: 'metadata.pages', op: 'changed' },
      { all: [{ field: 'document.state', op: 'changed' }] },
      { field: 'metadata.gone', op: 'changed' },
      { field: 'entry.status', op: 'equals', value: 'x' },
    ],
  })

  it('the values of what may change, without what is missing', () => {
    expect(watched(gate, FACTS)).toEqual({ 'metadata.pages': 12, 'document.state': 'ir_ready' })
    expect(watched(gate, { entry: {}, metadata: {}, document: null })).toEqual({})
  })

  it('nothing has changed since, whatever the facts are; and one change opens it', () => {
    const facts = fc.record({
      entry: fc.constant({}),
      metadata: fc.dictionary(fc.constantFrom('pages', 'gone', 'x'), fc.jsonValue()),
      document: fc.option(fc.record({ state: fc.jsonValue() })),
    }) as fc.Arbitrary<GateFacts>
    fc.assert(
      fc.property(facts, facts, (then, now) => {
        expect(isOpen(gate, then, watched(gate, then))).toBe(false)
        const differs = JSON.stringify(watched(gate, then)) !== JSON.stringify(watched(gate, now))
        // What was kept comes back from the ledger as a copy.
        const kept = JSON.parse(JSON.stringify(watched(gate, then))) as JsonObject
        if (!differs) expect(isOpen(gate, now, kept)).toBe(false)
      }),
    )
  })

  it('says whether it looks at the document', () => {
    expect(looksAtDocument(gate)).toBe(true)
    expect(looksAtDocument(gateOf({ field: 'metadata.document.x', op: 'exists' }))).toBe(false)
  })
})

it('says what a gate waits for in one line', () => {
  const line = (when: Condition) => describeGate(gateOf(when))
  expect(
    line({
      all: [
        { field: 'document.state', op: 'equals', value: 'ir_ready' },
        { field: 'metadata.pdf_ir_ready', op: 'exists' },
      ],
    }),
  ).toBe('document.state equals "ir_ready" and metadata.pdf_ir_ready exists')
  expect(
    line({
      any: [
        { field: 'entry.stage', op: 'not_equals', value: 'a\nb' },
        {
          all: [
            { field: 'metadata.x', op: 'in', value: [1, 'two'] },
            { field: 'metadata.y', op: 'changed' },
          ],
        },
        { field: 'metadata.z', op: 'exists', value: false },
      ],
    }),
  ).toBe(
    'entry.stage does not equal "a\\nb" or (metadata.x is in [1,"two"] and metadata.y has changed) or metadata.z does not exist',
  )
  expect(line({ field: 'metadata.x', op: 'equals' })).toBe('metadata.x equals null')
  const long = line({ field: 'metadata.x', op: 'equals', value: 'x'.repeat(1000) })
  expect(long).toBe(`metadata.x equals "${'x'.repeat(58)}…`)
})
