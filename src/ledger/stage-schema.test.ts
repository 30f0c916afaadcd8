import { expect, it } from 'vitest'
import type { ProtocolStep } from '../core/job/protocol.ts'
import type { Gate } from '../core/pipeline/gate.ts'
import { InvalidInput } from '../errors/input-errors.ts'
import { Protocols } from './protocols.ts'

const STEP: ProtocolStep = { step_id: 'a', step_type: 'a', service: 's', delivery: 'pull' }
const GATE: Gate = { name: 'g', when: { field: 'document.state', op: 'equals', value: 'ir_ready' } }

function register(...steps: readonly object[]): void {
  new Protocols().register({ protocol_id: 'p', request_type: 'r', steps: steps as ProtocolStep[] })
}

function refusal(...steps: readonly object[]): InvalidInput {
  try {
    register(...steps)
  } catch (error) {
    expect(error).toBeInstanceOf(InvalidInput)
    return error as InvalidInput
  }
  throw new Error('it was accepted')
}

it('takes gates, documents and breakers with a step', () => {
  const condition = { all: [GATE.when, { any: [{ field: 'metadata.x', op: 'changed' }] }] }
  register(
    { ...STEP, gate: { ...GATE, when: condition, timeout_ms: 1, resume: 'b' } },
    {
      ...STEP,
      step_id: 'b',
      gate: { ...GATE, resume: 'b' },
      document: { enters: 'fetching', leaves: 'fetched' },
    },
    { ...STEP, step_id: 'c', breaker: { failures: 5, recovery_ms: 60_000 } },
  )
})

const round: { all: unknown[] } = { all: [] }
round.all.push(round)

const WRONG: readonly (readonly [field: string, step: object])[] = [
  ['steps.0.gate', { gate: 'g' }],
  ['steps.0.gate.when', { gate: { name: 'g' } }],
  ['steps.0.gate.when', { gate: { ...GATE, when: { all: 1 } } }],
  ['steps.0.gate.when', { gate: { ...GATE, when: { all: [GATE.when], any: [GATE.when] } } }],
  ['steps.0.gate.when', { gate: { ...GATE, when: { field: 'metadata.x', exists: true } } }],
  ['steps.0.gate.when', { gate: { ...GATE, when: { field: 1, op: 'exists' } } }],
  ['steps.0.gate.when', { gate: { ...GATE, when: round } }],
  ['steps.0.gate.when.field', { gate: { ...GATE, when: { field: 'x', op: 'exists' } } }],
  ['steps.0.gate.when.value', { gate: { ...GATE, when: { field: 'metadata.x', op: 'like' } } }],
  ['steps.0.gate.when.all', { gate: { ...GATE, when: { all: [] } } }],
  ['steps.0.gate.timeout_ms', { gate: { ...GATE, timeout_ms: 0 } }],
  ['steps.0.gate.resume', { gate: { ...GATE, resume: 'gone' } }],
  ['steps.0.document.enters', { document: { enters: 'x' } }],
  ['steps.0.document.leaves', { document: { enters: 'fetching', leaves: 'parsed' } }],
  ['steps.0.breaker.failures', { breaker: { failures: 0, recovery_ms: 1 } }],
]

it.each(WRONG)('refuses %s', (field, step) => {
  expect(refusal({ ...STEP, ...step }).field).toBe(field)
})

it('refuses a gate that resumes at an earlier step', () => {
  const error = refusal(STEP, { ...STEP, step_id: 'b', gate: { ...GATE, resume: 'a' } })
  expect(error.field).toBe('steps.1.gate.resume')
})
