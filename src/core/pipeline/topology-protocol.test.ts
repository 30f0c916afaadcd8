import { expect, it } from 'vitest'
import type { Gate } from './gate.ts'
import { DEFAULT_RESILIENCE } from './policy.ts'
import { policyNamed, type Topology } from './topology.ts'
import { protocolOf, queueOf } from './topology-protocol.ts'

const GATE: Gate = { name: 'g', when: { field: 'document.state', op: 'equals', value: 'ir_ready' } }

const TOPOLOGY: Topology = {
  name: 'pdf',
  version: 'v2',
  gates: [GATE],
  policies: { 'gpu-bound': { max_attempts: 2, timeout_ms: 5, backoff: { kind: 'list', delaysMs: [1] } } },
  stages: [
    { name: 'chunk', depends_on: ['download'], gate: 'g', document: { leaves: 'completed' } },
    { name: 'download', policy: 'polite-api', concurrency: 7 },
    { name: 'embed', policy: 'gpu-bound', queue: 'gpu', concurrency: 1 },
    { name: 'ocr', delivery: 'push', service: 'ocr-service' },
  ],
}

it('makes a step of each stage, in order', () => {
  const { max_attempts, timeout_ms, backoff, breaker } = DEFAULT_RESILIENCE
  expect(protocolOf(TOPOLOGY)).toEqual({
    protocol_id: 'pdf@v2',
    pipeline: { name: 'pdf', version: 'v2' },
    request_type: 'pdf',
    steps: [
      {
        step_id: 'download',
        step_type: 'download',
        service: 'pdf/download',
        delivery: 'pull',
        queue: 'pdf/download',
        limits: [
          { key: 'pdf/download', max: 7 },
          { key: 'pdf/download', max: 5, per_ms: 1000 },
        ],
        policy: {
          max_attempts: 10,
          timeout_ms: 10_000,
          backoff: { kind: 'linear', baseMs: 1000, capMs: 10_000 },
        },
      },
      {
        step_id: 'chunk',
        step_type: 'chunk',
        service: 'pdf/chunk',
        delivery: 'pull',
        queue: 'pdf/chunk',
        policy: { max_attempts, timeout_ms, backoff },
        gate: GATE,
        document: { leaves: 'completed' },
        breaker,
      },
      {
        step_id: 'embed',
        step_type: 'embed',
        service: 'pdf/embed',
        delivery: 'pull',
        queue: 'gpu',
        limits: [{ key: 'pdf/embed', max: 1 }],
        policy: { max_attempts: 2, timeout_ms: 5, backoff: { kind: 'list', delaysMs: [1] } },
      },
      {
        step_id: 'ocr',
        step_type: 'ocr',
        service: 'ocr-service',
        delivery: 'push',
        queue: 'ocr-service',
        policy: { max_attempts, timeout_ms, backoff },
        breaker,
      },
    ],
  })
})

it('says where workers look for a stage', () => {
  expect(TOPOLOGY.stages.map((stage) => queueOf(TOPOLOGY, stage))).toEqual([
    'pdf/chunk',
    'pdf/download',
    'gpu',
    'ocr-service',
  ])
})

it('a topology without gates or policies of its own has those that every one has', () => {
  const plain: Topology = { name: 'n', version: 'v', stages: [{ name: 'a' }] }
  expect(policyNamed(plain)).toBe(DEFAULT_RESILIENCE)
  expect(policyNamed(plain, 'gpu-bound')?.max_attempts).toBe(1)
  expect(policyNamed(plain, 'constructor')).toBeUndefined()
  expect(protocolOf(plain).steps[0]).not.toHaveProperty('gate')
})
