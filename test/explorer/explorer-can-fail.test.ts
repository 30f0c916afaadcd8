import { describe, expect, it } from 'vitest'
import type { LedgerRecord } from '../../src/core/aggregate.ts'
import type { Change, Decision, Given } from '../../src/core/decision.ts'
import { decideJob } from '../../src/core/job/decide.ts'
import { toIso } from '../../src/core/time.ts'
import { explore } from './explore.ts'
import { STAGED } from './job-shapes.ts'
import { type Kernel, POLICY, protocolOf, queueOf } from './job-system.ts'

/** The kernel with its changes spoilt. */
function spoilt(spoil: (change: Change, given: Given) => Partial<Change>): Kernel {
  return (command, given): Decision<unknown> => {
    const decision = decideJob(command, given)
    if (decision.kind !== 'change') return decision
    return { ...decision, change: { ...decision.change, ...spoil(decision.change, given) } }
  }
}

function spoiltPuts(spoil: (put: LedgerRecord) => LedgerRecord): Kernel {
  return spoilt(({ puts }) => ({ puts: puts.map(spoil) }))
}

/** Faults that a change to the kernel could well bring in, each with the law that it breaks. */
const FAULTS: readonly (readonly [string, RegExp, Kernel])[] = [
  [
    'a move that the history does not mention',
    /does not say so/,
    spoilt(({ audit }) => ({ audit: audit.filter((entry) => entry.kind !== 'step') })),
  ],
  [
    'a state passed through that the history leaves out',
    /went from/,
    spoilt(({ audit }) => ({
      audit: audit.map((entry) => ({ ...entry, path: [entry.path[0] ?? null, entry.path.at(-1) as string] })),
    })),
  ],
  [
    'a callback accepted with any lease',
    /does not hold the step/,
    (command, given) => {
      if (!('lease_id' in command)) return decideJob(command, given)
      const steps = given.get('job', command.tenant_id, command.job_id)?.steps
      const step = steps?.find(({ step_id }) => step_id === command.step_id)
      if (!step?.lease_id) return decideJob(command, given)
      return decideJob({ ...command, attempt_no: step.attempt_no, lease_id: step.lease_id }, given)
    },
  ],
  [
    'a lease used again for the next attempt',
    /was used before/,
    spoiltPuts((put) =>
      (put.kind === 'step' || put.kind === 'outbox') && put.lease_id
        ? { ...put, lease_id: 'the only lease' }
        : put,
    ),
  ],
  [
    'a timer that is lost',
    /waits for ever/,
    spoiltPuts((put) => (put.kind === 'job' && put.state === 'IN_PROGRESS' ? { ...put, due_at: null } : put)),
  ],
  [
    'ready work that is not shown',
    /ready to/,
    spoiltPuts((put) => (put.kind === 'job' ? { ...put, ready: null } : put)),
  ],
  [
    'a slot that is not given back',
    /in flight until it ends/,
    spoilt(({ slots }) => ({ slots: slots.filter((slot) => slot.verb === 'take') })),
  ],
  [
    'an outbox row left open by a cancel',
    /had ended|row|open/,
    spoilt(({ puts }) => ({ puts: puts.filter((put) => put.kind !== 'outbox' || put.state === 'PENDING') })),
  ],
  [
    'a step that begins before the one in front of it has ended',
    /later steps wait|does not say so|one step at most/,
    spoiltPuts((put) =>
      put.kind === 'step' && put.step_index === 1 && put.state === 'PENDING'
        ? { ...put, state: 'DISPATCHING' }
        : put,
    ),
  ],
  [
    'one attempt too many',
    /was used before|within bounds/,
    spoiltPuts((put) =>
      put.kind === 'step' && put.state === 'FAILED_FINAL' ? { ...put, attempt_no: put.attempt_no + 1 } : put,
    ),
  ],
  [
    'an ending without a reason',
    /says why/,
    spoiltPuts((put) => (put.kind === 'job' ? { ...put, error_code: null } : put)),
  ],
]

/** Faults that show where there are limits, timeouts and pauses. */
const LIMITING_FAULTS: readonly (readonly [string, RegExp, Kernel])[] = [
  [
    'an attempt given back that counts all the same',
    /within bounds|does not count|has an attempt left/,
    spoiltPuts((put) => (put.kind === 'step' ? { ...put, released: 0 } : put)),
  ],
  [
    'attempts given back by whoever fails',
    /does not give back/,
    spoiltPuts((put) =>
      put.kind === 'step' && put.last_error_code === 'BOOM' ? { ...put, released: put.released + 1 } : put,
    ),
  ],
  [
    'a paused queue that hands out work',
    /hands out nothing|ready to/,
    (command, given) => decideJob(command, { ...withGet(given), get: neverPaused(given) }),
  ],
  [
    'a place of a queue that is not given back',
    /place of the queue is held/,
    spoilt(({ slots }) => ({
      slots: slots.filter(({ verb, tenant_id }) => verb === 'take' || tenant_id !== '*'),
    })),
  ],
  [
    'a place of a queue that nobody takes',
    /place of the queue is held/,
    spoilt(({ slots }) => ({ slots: slots.filter(({ tenant_id }) => tenant_id !== '*') })),
  ],
  [
    'a rate that lets everybody in',
    /begin within|ready to/,
    spoilt(({ slots }) => ({
      slots: slots.map((slot) => (slot.verb === 'take' && slot.until ? { ...slot, max: 1000 } : slot)),
    })),
  ],
  [
    'heartbeats that make a lease longer than the attempt may take',
    /no lease is longer/,
    (command, given) => {
      const decision = decideJob(command, given)
      if (command.type !== 'heartbeatStep' || decision.kind !== 'change') return decision
      const lease_expires_at = toIso(given.now + POLICY.lease_ms)
      const puts = decision.change.puts.map((put) =>
        put.kind === 'step' && put.lease_expires_at !== null ? { ...put, lease_expires_at } : put,
      )
      return { ...decision, change: { ...decision.change, puts } }
    },
  ],
  [
    'work that passes all limits and is not shown so',
    /ready to|advance twice/,
    spoiltPuts((put) => {
      if (put.kind !== 'job' || put.ready === null) return put
      const { unlimited: _, ...ready } = put.ready
      return { ...put, ready }
    }),
  ],
]

/** Faults that show where others have a say. */
const STAGED_FAULTS: readonly (readonly [string, string, RegExp, Kernel])[] = [
  [
    'a silence between two stages that nobody minds',
    'stages that another scheduler reports',
    /waits for ever|not ended|says why|succeeded because/,
    spoiltPuts((put) => (put.kind === 'job' ? { ...put, report_by: null, due_at: null } : put)),
  ],
  [
    'a stage that begins before the last one is over',
    'stages that another scheduler reports',
    /does not say so|later steps wait|one step at most|where its history/,
    spoiltPuts((put) =>
      put.kind === 'step' && put.step_id === 'a' && put.state === 'SUCCEEDED'
        ? { ...put, state: 'IN_PROGRESS' }
        : put,
    ),
  ],
  [
    'a gate that opens by itself',
    'a gate with a time, that goes on with a later stage',
    /what it asks for is not so|ready to/,
    (command, given) =>
      decideJob(
        command.type === 'annotateJob' ? { ...command, type: 'expediteJob', ...OPEN } : command,
        given,
      ),
  ],
  [
    'a gate whose time does not run out',
    'a gate with a time, that goes on with a later stage',
    /still due|advance twice|not ended/,
    spoiltPuts((put) =>
      put.kind === 'step' && put.gate?.until != null
        ? { ...put, gate: { ...put.gate, until: '2999-01-01T00:00:00.000Z' } }
        : put,
    ),
  ],
  [
    'a job that does not hear of its document',
    'a gate that waits for a document, for as long as it takes',
    /hears of its document|advance twice/,
    spoiltPuts((put) => (put.kind === 'job' ? { ...put, waits_for: [] } : put)),
  ],
  [
    'a failure that nobody takes over',
    'another job takes over',
    /somebody takes over|says who took over|in flight/,
    spoilt(({ puts }) => ({
      puts: puts.filter((put) => !('job_id' in put) || !String(put.job_id).includes('~')),
    })),
  ],
  [
    'a job that is taken over and goes on all the same',
    'another job takes over',
    /one of a chain|does not say so|where its history|waits for ever/,
    spoiltPuts((put) =>
      put.kind === 'job' && put.state === 'FAILED_FINAL' ? { ...put, state: 'IN_PROGRESS' } : put,
    ),
  ],
]

const OPEN = { priority: null, ignore: ['gate'] } as const

function withGet(given: Given): Given {
  return {
    now: given.now,
    ids: given.ids,
    get: given.get,
    ownerOf: (claim) => given.ownerOf(claim),
    isFull: (slot) => given.isFull(slot),
  }
}

function neverPaused(given: Given): Given['get'] {
  return (kind, tenant_id, id) => {
    const found = given.get(kind, tenant_id, id)
    return kind === 'queue' && found != null ? { ...found, state: 'running' } : found
  }
}

describe('the explorer finds planted faults', () => {
  const protocol = protocolOf({ delivery: 'push' }, { delivery: 'push' })
  it.each(FAULTS)('%s', (_, law, kernel) => {
    expect(() => explore(protocol, { depth: 9, states: 5_000, crashes: false, kernel })).toThrow(law)
  })

  const limited = protocolOf({
    delivery: 'pull',
    limits: [{ key: 'door', max: 1, per_ms: 50_000 }],
    policy: { timeout_ms: 90_000 },
  })
  const queue = queueOf({ concurrency: 1, rate: { max: 1, per_ms: 40_000 } })
  it.each(LIMITING_FAULTS)('%s', (_, law, kernel) => {
    expect(() => explore(limited, { depth: 9, states: 5_000, crashes: false, kernel, queue })).toThrow(law)
  })

  it.each(STAGED_FAULTS)('%s', (_, shape, law, kernel) => {
    const [, staged, request] = STAGED.find(([name]) => name === shape) ?? []
    if (staged === undefined) throw new Error(`There is a shape ${shape}`)
    const bounds = { depth: 9, states: 4_000, crashes: false, kernel, ...(request && { request }) }
    expect(() => explore(staged, bounds)).toThrow(law)
  })
})
