import fc from 'fast-check'
import { expect, it } from 'vitest'
import { checkedProtocol } from './checked-protocol.ts'
import { plainProtocol } from './plain-protocol.ts'

const STEP = { step_id: 'read', step_type: 'WORK', service: 'ocr', delivery: 'pull' }

/** Sound ones, and what people get wrong. */
const anyField = fc.oneof(
  fc.constantFrom<unknown>(
    undefined,
    null,
    '',
    ' ',
    'a/b',
    'with\ncontrol',
    'x'.repeat(513),
    'push',
    'external',
    'mail',
    0,
    {},
    [],
    ['a'],
    Array(1),
    new Date(0),
    new String('text'),
  ),
  fc.string(),
  fc.jsonValue(),
)

const anyStep = fc
  .tuple(
    fc.constantFrom<object>(STEP, { ...STEP, queue: 'q' }, Object.create(STEP)),
    fc.dictionary(
      fc.constantFrom('step_id', 'step_type', 'service', 'delivery', 'queue', 'limits', 'policy', 'other'),
      anyField,
      { maxKeys: 2 },
    ),
  )
  .map(([step, changes]) => ({ ...step, ...changes }))

const anyProtocol = fc
  .tuple(
    fc.oneof(fc.array(fc.oneof(anyStep, fc.constant(STEP)), { maxLength: 3 }), anyField),
    fc.dictionary(fc.constantFrom('protocol_id', 'request_type', 'pipeline', 'other'), anyField, {
      maxKeys: 1,
    }),
  )
  .map(([steps, changes]) => ({ protocol_id: 'p.v1', request_type: 'OCR', steps, ...changes }))

it('what is plainly sound is sound by the schema, and comes to the same', () => {
  fc.assert(
    fc.property(anyProtocol, (protocol) => {
      const plain = plainProtocol(protocol)
      if (plain === null) return
      const checked = checkedProtocol(protocol)
      expect(plain).toEqual(checked)
      // It goes to the disk in the same words.
      expect(JSON.stringify(plain)).toBe(JSON.stringify(checked))
      expect([plain, plain.steps, ...plain.steps].every(Object.isFrozen)).toBe(true)
    }),
    { numRuns: 1000 },
  )
})

it('what says nothing special is plainly sound', () => {
  for (const step of [STEP, { ...STEP, queue: 'q' }, { ...STEP, queue: undefined, delivery: 'external' }]) {
    expect(plainProtocol({ protocol_id: 'p.v1', request_type: 'OCR', steps: [step] })).not.toBeNull()
  }
})

it.each([
  ['no steps', []],
  ['too many', Array(101).fill(STEP)],
  ['a hole', Array(1)],
  ['a slash', [{ ...STEP, step_id: 'a/b' }]],
  ['a field of the schema', [{ ...STEP, policy: {} }]],
])('%s is left to the schema', (_what, steps) => {
  expect(plainProtocol({ protocol_id: 'p.v1', request_type: 'OCR', steps })).toBeNull()
})
