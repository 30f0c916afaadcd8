import { expect, it, vi } from 'vitest'
import { protocolOf, pulled } from '../../test/fixtures/job-commands.ts'
import { requestOf } from '../../test/fixtures/live-ledger.ts'
import { MemoryStore } from '../store/memory/memory-store.ts'
import { virtualWorld } from '../testing/virtual-world.ts'
import { Ledger } from './ledger.ts'
import { DEFAULT_SETTINGS } from './settings.ts'

// Somebody who followed a run looked at its jobs and found none. Before they said so, a job was submitted and the run was
// sealed: on what they had seen the run succeeded, with a job in it that nobody had begun. Whether more may come is now asked
// before the jobs are looked at, and what was not sealed by then does not end.
it.each(['run', 'workstream'] as const)(
  'a %s does not end on what was so before it was sealed',
  async (kind) => {
    const world = virtualWorld()
    const store = new MemoryStore(world)
    const ledger = new Ledger(store, { ...DEFAULT_SETTINGS, tenant_id: 't1' }, world)
    ledger.jobs.register(protocolOf(pulled('only')))
    await ledger.runs.create({ run_id: 'r1' })
    await ledger.workstreams.create({ workstream_id: 'w1', run_id: 'r1' })
    const find = store.find.bind(store)
    vi.spyOn(store, 'find').mockImplementationOnce(async (query) => {
      const page = await find(query)
      await ledger.batch((make) => [
        make.submit({ ...requestOf(), run_id: 'r1', workstream_id: 'w1' }),
        make.sealGroup('run', 'r1'),
      ])
      return page
    })
    const groups = kind === 'run' ? ledger.runs : ledger.workstreams
    const id = kind === 'run' ? 'r1' : 'w1'
    expect(await groups.follow(id)).toMatchObject({ state: 'pending' })
    const [work] = await ledger.jobs.claim({ queues: ['only-service'] })
    if (work === undefined) throw new Error('There is something to do')
    await ledger.jobs.result(work.step, { status: 'SUCCEEDED' })
    expect(await groups.follow(id)).toMatchObject({ state: 'succeeded' })
    await ledger.close()
  },
)
