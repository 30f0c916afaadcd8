// In an account of Azure a place under a limit is taken before it is decided who has it. A job took the last one; in the same
// moment somebody whom a client had let past limits took one above them, and was written first. The law counted both against
// the first and found one too many, though it was there first, and would have been well if it had been written first. With a limit
// by time it was the same: the law forgave it where places are held, and not where starts are counted.
import { expect, it } from 'vitest'
import type { Change } from '../../src/core/decision.ts'
import { LimitsAreKept } from './laws/limits.ts'
import { type Commit, Shadow } from './shadow.ts'

const NOTHING: Change = { puts: [], audit: [], claims: [], slots: [], signals: [] }

function begins(job_id: string, unlimited: boolean): Change {
  const job = { kind: 'job', tenant_id: 't1', job_id, state: 'IN_PROGRESS', unlimited }
  const step = {
    ...{ kind: 'step', tenant_id: 't1', job_id, step_id: 'read', step_index: 0, state: 'IN_PROGRESS' },
    ...{ lease_id: `lease of ${job_id}`, delivery: 'pull', queue: 'ocr', queue_slot: true, limits: [] },
  }
  return { ...NOTHING, puts: [step, job] } as unknown as Change
}

const AT_ONCE = { concurrency: 1, rate: null }
const WITHIN = { concurrency: null, rate: { max: 1, per_ms: 6000 } }

/** One is let past the limit with commit 5, then another begins that had seen everything up to a commit. */
function bothBegin(limit: typeof AT_ONCE | typeof WITHIN, after: number): void {
  const laws = new LimitsAreKept(10)
  const shadow = new Shadow()
  const queue = { kind: 'queue', tenant_id: '*', queue: 'ocr', ...limit, etag: '1' }
  shadow.apply({ change: { ...NOTHING, puts: [queue] } as unknown as Change, at: 0, etag: 1 })
  for (const id of ['past', 'within'])
    shadow.jobs.set(`t1 ${id}`, { job: { state: 'QUEUED' }, steps: [], outbox: [] } as never)
  const commit = (change: Change, etag: number): Commit => ({
    change,
    at: 0,
    etag,
    begun: { after, afterQueues: 1 },
  })
  const first = commit(begins('past', true), 5)
  laws.check(shadow, first)
  shadow.jobs.set('t1 past', shadow.after('t1 past', first.change))
  laws.check(shadow, commit(begins('within', false), 6))
}

it.each([AT_ONCE, WITHIN])(
  'who took a place before somebody was let past the limit is not one too many',
  (limit) => {
    expect(() => bothBegin(limit, 4)).not.toThrow()
  },
)

it.each([
  [AT_ONCE, '2 attempts at once in queue:ocr, 1 may be'],
  [WITHIN, '2 attempts within 6000 ms in queue:ocr, 1 may be'],
])('who began to take one afterwards is', (limit, broken) => {
  expect(() => bothBegin(limit, 5)).toThrow(broken)
})
