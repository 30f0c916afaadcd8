// A dispatcher slept beside a directive that was there to be published. The timekeeper had written it: whoever sleeps is
// woken when that is durable, and looked while the job was still marked as being swept, which hides it from others. Nothing
// woke them when it was shown again.
import { expect, it } from 'vitest'
import { decideJob } from '../../src/core/job/decide.ts'
import { pick } from '../../src/core/pick.ts'
import { openJournal } from '../../src/store/journal/journal.ts'
import type { Store } from '../../src/store/store.ts'
import { virtualWorld } from '../../src/testing/virtual-world.ts'
import { submitOf } from '../fixtures/job-commands.ts'
import { PROTOCOLS } from './protocols.ts'

const by = { tenant_id: 't1', actor: 'test', reason: null } as const

it('news of what a sweep did comes when others can have it', async () => {
  const world = virtualWorld()
  const store = await openJournal('/ledger', world, { snapshotSchedule: null })
  const protocol = PROTOCOLS.find(({ request_type }) => request_type === 'FETCH')
  const submit = submitOf({ ...by, protocol, job_id: 'job', delay_ms: 1000 } as Parameters<
    typeof submitOf
  >[0])
  await store.transact([], (given) => decideJob(submit, given))
  await world.advanceBy(1000)
  const seen: number[] = []
  store.subscribe(() => void look(store).then((count) => seen.push(count)))
  await store.sweep({ what: 'due', limit: 10 }, ({ id }, given) =>
    decideJob({ type: 'advanceJob', job_id: id, ...by }, given),
  )
  await world.advanceBy(0)
  expect(seen.at(-1), 'what the last look saw').toBe(1)
})

/** Looks as a worker does, and takes nothing. */
async function look(store: Store): Promise<number> {
  let count = 0
  const sweep = store.sweep(
    {
      what: 'ready',
      queues: ['fetch'],
      perGroup: 10,
      pick: (heads, view) => {
        count = pick(heads, { limit: 10, running: new Map(), view }).chosen.length
        return []
      },
    },
    () => {
      throw new Error('nothing is taken')
    },
  )
  await sweep
  return count
}
