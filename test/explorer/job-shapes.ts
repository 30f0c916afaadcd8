import type { SubmitJob } from '../../src/core/job/commands.ts'
import { BOOTSTRAP, type Protocol } from '../../src/core/job/protocol.ts'
import { protocolOf } from './job-system.ts'

export const LIMIT = [{ key: 'gpu', max: 1 }]
const RATE = [{ key: 'door', max: 1, per_ms: 50_000 }]
const TIMEOUT = { timeout_ms: 90_000 }

/** Two steps in each, and together every way a step can be delivered and held up. */
export const JOBS = [
  ['pushed, then pushed', protocolOf({ delivery: 'push' }, { delivery: 'push' })],
  ['pushed, then pulled', protocolOf({ delivery: 'push' }, { delivery: 'pull' })],
  [
    'pulled, then pushed under a limit',
    protocolOf({ delivery: 'pull' }, { delivery: 'push', limits: LIMIT }),
  ],
  [
    'pulled under a limit, then pulled',
    protocolOf({ delivery: 'pull', limits: LIMIT }, { delivery: 'pull' }),
  ],
  [
    'pulled at a rate, then pushed, both with a timeout',
    protocolOf({ delivery: 'pull', limits: RATE, policy: TIMEOUT }, { delivery: 'push', policy: TIMEOUT }),
  ],
] as const

const GO = { field: 'metadata.go', op: 'equals', value: true } as const
const PARSED = { field: 'document.state', op: 'equals', value: 'parsed' } as const

/** For as long as nobody does anything. */
const FOR_EVER = { expires_at: null }

/** Jobs that others have a say in: how they come on is not only for workers and the clock. */
export const STAGED = [
  [
    'stages that another scheduler reports',
    protocolOf({ step_id: BOOTSTRAP, delivery: 'external', policy: { max_attempts: 1000 } }),
    FOR_EVER,
  ],
  [
    'a gate with a time, that goes on with a later stage',
    protocolOf(
      { delivery: 'pull', gate: { name: 'go', when: GO, timeout_ms: 70_000, resume: 's2' } },
      { delivery: 'pull' },
      { delivery: 'pull' },
    ),
    FOR_EVER,
  ],
  [
    'a gate that waits for a document, for as long as it takes',
    protocolOf({ delivery: 'pull', gate: { name: 'parsed', when: PARSED } }, { delivery: 'push' }),
    { ...FOR_EVER, doc_id: 'd' },
  ],
  [
    'another job takes over',
    protocolOf({ delivery: 'pull' }),
    { rungs: [{ protocol: protocolOf({ delivery: 'pull' }), payload: null, priority: 1 }] },
  ],
] as const satisfies readonly (readonly [string, Protocol, Partial<SubmitJob>])[]
