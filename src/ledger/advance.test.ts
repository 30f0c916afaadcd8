import { describe, expect, it } from 'vitest'
import { protocolOf, pulled, submitOf } from '../../test/fixtures/job-commands.ts'
import type { LedgerRecord } from '../core/aggregate.ts'
import { change } from '../core/decision.ts'
import { MemoryStore } from '../store/memory/memory-store.ts'
import { virtualWorld } from '../testing/virtual-world.ts'
import { advanceDue } from './advance.ts'
import { Committer } from './committer.ts'

const MINUTE = 60_000

describe('advancing what is due', () => {
  it('goes past a job that contradicts itself, says so, and ends', async () => {
    const world = virtualWorld()
    const store = new MemoryStore(world)
    const committer = new Committer(store, world.logger)
    const run_at = new Date(world.clock.now() + MINUTE).toISOString()
    for (const job_id of ['broken', 'sound']) {
      await committer.run(submitOf({ job_id, run_at, protocol: protocolOf(pulled('only')) }))
    }
    // A disk error, say: it is dispatching by push, but all its attempts are used up.
    const broken = await store.load({ kind: 'job', tenant_id: 't1', id: 'broken' })
    const steps =
      broken?.steps.map((step): LedgerRecord => ({ ...step, delivery: 'push', attempt_no: 3 })) ?? []
    await store.transact([], () => change(null, { puts: steps }))
    await world.advanceBy(MINUTE)
    expect(await advanceDue(committer)).toBe(1)
    expect(await store.ready(['only-service'], 10, (heads) => heads)).toMatchObject([
      { key: { id: 'sound' } },
    ])
    expect(world.logged[0]).toMatchObject({
      level: 'warn',
      message: 'advanceJob cannot go on with job broken: Broken invariant: step only has an attempt left',
      fields: { code: 'BROKEN_RECORD' },
    })
  })
})
