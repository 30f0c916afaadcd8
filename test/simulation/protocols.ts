import { BOOTSTRAP, type Protocol, type ProtocolStep, type StepPolicy } from '../../src/core/job/protocol.ts'
import { SECOND_MS } from '../../src/core/time.ts'

/** Short, so that everything that can run out does so within a run; each different, so that none hides another. */
export const POLICY = {
  max_attempts: 3,
  ack_timeout_ms: 5 * SECOND_MS,
  lease_ms: 12 * SECOND_MS,
  backoff: { kind: 'exponential', baseMs: 2 * SECOND_MS, capMs: 4 * SECOND_MS, jitter: 0.5 },
  publish_tries: 3,
  publish_timeout_ms: 3 * SECOND_MS,
  publish_backoff: { kind: 'list', delaysMs: [2 * SECOND_MS, 6 * SECOND_MS] },
} as const satisfies StepPolicy

/** An attempt at such a step is over by then, however often its worker says that it is still at it. */
const TIMEOUT_MS = 20 * SECOND_MS

/** Who is told by the broker. */
export const SERVICES = ['ocr', 'embed'] as const

/** Where workers look. */
export const QUEUES = ['fetch', 'render'] as const

function push(service: (typeof SERVICES)[number], more: Partial<ProtocolStep> = {}): ProtocolStep {
  return { step_id: service, step_type: 'S', service, delivery: 'push', policy: POLICY, ...more }
}

function pull(queue: (typeof QUEUES)[number], more: Partial<ProtocolStep> = {}): ProtocolStep {
  return { step_id: queue, step_type: 'S', service: queue, delivery: 'pull', policy: POLICY, ...more }
}

const SINGLE = { limits: [{ key: 'host:{payload.host}', max: 1 }] }
const PAIRS = { limits: [{ key: 'gpu', max: 2 }] }
const RATED = { limits: [{ key: 'api', max: 2, per_ms: 8 * SECOND_MS }] }
const TIMED = { policy: { ...POLICY, timeout_ms: TIMEOUT_MS } }

const STEPS: { readonly [request_type: string]: readonly ProtocolStep[] } = {
  FETCH: [pull('fetch')],
  OCR: [push('ocr')],
  'FETCH->RENDER': [pull('fetch', SINGLE), pull('render', TIMED)],
  'OCR->EMBED': [push('ocr', TIMED), push('embed', PAIRS)],
  'OCR->RENDER->EMBED': [push('ocr'), pull('render'), push('embed', RATED)],
  RENDER: [pull('render', { limits: [...RATED.limits, ...PAIRS.limits] })],
}

export const PROTOCOLS: readonly Protocol[] = protocolsOf(STEPS)

export const GATED = 'GATED'
export const DOCUMENTED = 'DOCUMENTED'
export const EXTERNAL = 'EXTERNAL'

const GO = { name: 'go', when: { field: 'metadata.go', op: 'equals', value: true } } as const
const PARSED = { name: 'parsed', when: { field: 'document.state', op: 'equals', value: 'parsed' } } as const

/** Jobs that others have a say in: somebody opens a gate, moves a document, reports a stage; or nobody does, in time. */
export const STAGED: readonly Protocol[] = protocolsOf({
  [GATED]: [pull('fetch'), push('ocr', { gate: { ...GO, timeout_ms: 25 * SECOND_MS } })],
  [DOCUMENTED]: [
    pull('fetch', { document: { enters: 'fetching', leaves: 'fetched' } }),
    pull('render', { gate: { ...PARSED, timeout_ms: 45 * SECOND_MS, resume: 'embed' } }),
    push('embed'),
  ],
  [EXTERNAL]: [
    {
      step_id: BOOTSTRAP,
      step_type: 'S',
      service: 'dagster',
      delivery: 'external',
      policy: { ...POLICY, max_attempts: 100 },
    },
  ],
})

function protocolsOf(steps: {
  readonly [request_type: string]: readonly ProtocolStep[]
}): readonly Protocol[] {
  return Object.entries(steps).map(([request_type, own]) => ({
    protocol_id: `${request_type}.v1`,
    request_type,
    steps: own,
  }))
}

export const TENANTS = ['t1', 't2'] as const
