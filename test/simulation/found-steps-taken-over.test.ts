// A job that is run again from a later step takes over the steps before it as they ended. The history said nothing of them,
// and so `check` found a contradiction in a ledger that had none.
import { expect, it } from 'vitest'
import { DEFAULT_SETTINGS } from '../../src/ledger/settings.ts'
import { LiveLedger } from '../../src/runtime/live-ledger.ts'
import { MemoryStore } from '../../src/store/memory/memory-store.ts'
import { virtualWorld } from '../../src/testing/virtual-world.ts'
import { PROTOCOLS } from './protocols.ts'

it('steps that were taken over from another job are in the history', async () => {
  const world = virtualWorld()
  const ledger = new LiveLedger(new MemoryStore(world), DEFAULT_SETTINGS, world)
  ledger.jobs.register(...PROTOCOLS)
  const { job_id } = await ledger.jobs.submit({
    tenant_id: 'default',
    request_type: 'FETCH->RENDER',
    input_ref: 'in',
    output_ref: 'out',
    payload: { host: 'a' },
    schema_version: 'v1',
  })
  const [work] = await ledger.jobs.claim({ queues: ['fetch'] })
  if (work === undefined) throw new Error('there is work')
  await ledger.jobs.result(work.step, { status: 'SUCCEEDED' })
  await ledger.jobs.cancel(job_id)
  const again = await ledger.jobs.again(job_id, { from_step: 'render' })
  expect(await ledger.check()).toEqual([])
  const told: (readonly [string | null, string])[] = []
  for await (const { kind, old_state, new_state } of ledger.jobs.history(again.job_id)) {
    if (kind === 'step') told.push([old_state, new_state])
  }
  expect(told).toEqual([[null, 'SUCCEEDED']])
})
