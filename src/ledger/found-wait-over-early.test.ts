// The story: somebody asks over HTTP what an ended job came to, without waiting. The clock ran before the ledger was first
// looked at: where that takes a moment, as in a database, the time was over first. An ended job was answered as one that goes
// on; and as nobody listened yet, the whole process ended by what nobody caught. So it did when the caller hung up too early.
import { expect, it } from 'vitest'
import { LiveLedger } from '../runtime/live-ledger.ts'
import { openStore } from '../store/open-store.ts'
import type { Store } from '../store/store.ts'
import { virtualWorld } from '../testing/virtual-world.ts'
import { DEFAULT_SETTINGS } from './settings.ts'

/** A ledger with an ended job; every look at a record takes until it is let go. */
async function slowLedger() {
  const world = virtualWorld()
  const store = await openStore('memory:', world)
  const gate = Promise.withResolvers<void>()
  const asked = Promise.withResolvers<void>()
  const slow = new Proxy(store, {
    get(target, name) {
      if (name !== 'get') {
        const value: unknown = Reflect.get(target, name)
        return typeof value === 'function' ? value.bind(target) : value
      }
      return async (key: Parameters<Store['get']>[0]) => {
        asked.resolve()
        await gate.promise
        return target.get(key)
      }
    },
  })
  const ledger = new LiveLedger(slow, DEFAULT_SETTINGS, world)
  ledger.jobs.register({
    protocol_id: 'work.v1',
    request_type: 'WORK',
    steps: [{ step_id: 'do', step_type: 'DO', service: 'work', delivery: 'pull' }],
  })
  const { job_id } = await ledger.jobs.submit({
    tenant_id: 'default',
    request_type: 'WORK',
    input_ref: 'in',
    output_ref: 'out',
    payload: {},
    schema_version: 'v1',
  })
  const [work] = await ledger.jobs.claim({ queues: ['work'] })
  const { step_id, attempt_no, lease_id } = work?.step ?? { step_id: '', attempt_no: 0, lease_id: '' }
  const attempt = { job_id, step_id, attempt_no, lease_id: lease_id as string }
  await ledger.jobs.result(attempt, { status: 'SUCCEEDED', output: 'done' })
  return { ledger, world, job_id, asked: asked.promise, letGo: () => gate.resolve() }
}

it('a job that has ended is answered as such, however long it takes to look', async () => {
  const { ledger, world, job_id, asked, letGo } = await slowLedger()
  const result = ledger.jobs.wait(job_id, { timeout: 0 })
  await asked
  await world.advanceBy(1000)
  letGo()
  expect(await result).toBe('done')
  await ledger.close()
})

it('whoever hangs up during the first look harms nobody', async () => {
  const { ledger, job_id, asked, letGo, world } = await slowLedger()
  const uncaught: unknown[] = []
  const onUncaught = (error: unknown) => void uncaught.push(error)
  process.on('unhandledRejection', onUncaught)
  try {
    const gone = new AbortController()
    const result = ledger.jobs.wait(job_id, { signal: gone.signal })
    await asked
    gone.abort(new Error('gone'))
    await world.advanceBy(0)
    letGo()
    await expect(result).rejects.toThrow('gone')
    expect(uncaught).toEqual([])
  } finally {
    process.off('unhandledRejection', onUncaught)
    await ledger.close()
  }
})
