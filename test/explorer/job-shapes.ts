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
