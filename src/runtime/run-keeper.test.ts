import { describe, expect, it, vi } from 'vitest'
import { protocolOf, pulled } from '../../test/fixtures/job-commands.ts'
import { liveLedger, requestOf } from '../../test/fixtures/live-ledger.ts'
import { openLedger } from '../open-ledger.ts'
import { MemoryDisk } from '../testing/memory-disk.ts'
import { virtualWorld } from '../testing/virtual-world.ts'
import type { LiveLedger } from './live-ledger.ts'
import { RunKeeper } from './run-keeper.ts'

const QUEUE = 'only-service'
const HOUR = 60 * 60_000
/** More than it takes to look whether there are runs. */
const LOOK = 1500

const STEPS = [pulled('only', { policy: { max_attempts: 1 } })]

type Fields = Parameters<typeof requestOf>[0] & { readonly job_id?: string }

function submit(ledger: LiveLedger, job_id: string, more: Fields = {}) {
  return ledger.jobs.submit({ ...requestOf(), job_id, run_id: 'r1', ...more })
}

/** Does the next job there is. */
async function work(ledger: LiveLedger, ok = true): Promise<void> {
  const [work] = await ledger.jobs.claim({ queues: [QUEUE] })
  if (work === undefined) throw new Error('There is something to do')
  const error = { code: 'BROKEN', message: 'it broke' }
  await ledger.jobs.result(
    work.step,
    ok ? { status: 'SUCCEEDED' } : { status: 'FAILED', failure_class: 'NON_RETRYABLE', error },
  )
}

/** Whatever is on its way gets there. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 100; turn++) await Promise.resolve()
}

async function stateOf(ledger: LiveLedger, run_id = 'r1', tenant_id?: string) {
  return (await ledger.runs.get(run_id, tenant_id))?.state
}

describe('a keeper of runs', () => {
  it('has runs and workstreams follow their jobs, to the end', async () => {
    const { ledger, world } = await liveLedger(STEPS)
    ledger.keepTime()
    await submit(ledger, 'a', { workstream_id: 'w1' })
    await submit(ledger, 'b', { workstream_id: 'w1', depends_on: ['a'] })
    await world.advanceBy(LOOK)
    expect(await ledger.workstreams.get('w1')).toMatchObject({ state: 'ready' })
    await work(ledger)
    await world.advanceBy(1)
    expect([await stateOf(ledger), (await ledger.workstreams.get('w1'))?.state]).toEqual([
      'running',
      'running',
    ])
    await ledger.runs.seal('r1')
    await world.advanceBy(1)
    expect(await stateOf(ledger)).toBe('running')
    await work(ledger, false)
    await world.advanceBy(1)
    expect([await stateOf(ledger), (await ledger.workstreams.get('w1'))?.state]).toEqual(['failed', 'failed'])
    await ledger.close()
  })

  it('a run with an escalated job goes on with whoever took over, and comes to what they come to', async () => {
    const { ledger, world } = await liveLedger(STEPS)
    const other = { ...protocolOf(pulled('only')), protocol_id: 'other', request_type: 'OTHER' }
    ledger.jobs.register(other)
    ledger.keepTime()
    const envelope = { ...requestOf(), job_id: 'a', run_id: 'r1' }
    await ledger.batch((make) => [
      { ...make.submit(envelope), rungs: [{ protocol: other, payload: null, priority: 1 as const }] },
      make.sealGroup('run', 'r1'),
    ])
    await world.advanceBy(LOOK)
    await work(ledger, false)
    await world.advanceBy(1)
    expect(await stateOf(ledger)).toBe('running')
    await work(ledger)
    await world.advanceBy(1)
    expect(await stateOf(ledger)).toBe('succeeded')
    await ledger.close()
  })

  it('costs nothing where there are none, and next to nothing where they have all ended', async () => {
    const { ledger, world } = await liveLedger(STEPS)
    ledger.keepTime()
    await world.advanceBy(5000)
    const counts = vi.spyOn(ledger, 'counts')
    const events = vi.spyOn(ledger, 'events')
    await world.advanceBy(100 * HOUR)
    expect([counts.mock.calls.length, events.mock.calls.length]).toEqual([0, 0])
    for (let n = 0; n < 50; n++) {
      await submit(ledger, `j${n}`, { run_id: undefined })
      await work(ledger)
    }
    await world.advanceBy(5000)
    // Two kinds, at once and when the second is over.
    expect(counts.mock.calls.length).toBeLessThanOrEqual(4)
    expect(events).not.toHaveBeenCalled()
    await submit(ledger, 'a')
    await ledger.runs.seal('r1')
    await world.advanceBy(LOOK)
    await work(ledger)
    await world.advanceBy(5000)
    expect(await stateOf(ledger)).toBe('succeeded')
    counts.mockClear()
    await world.advanceBy(100 * HOUR)
    expect(counts).not.toHaveBeenCalled()
    await ledger.close()
  })

  it('catches up with what happened while nobody kept them, and when it stops', async () => {
    const disk = new MemoryDisk()
    const open = async () => {
      const world = virtualWorld({ disk })
      const protocols = [protocolOf(...STEPS)]
      return { world, ledger: await openLedger('/ledger', { world, tenant_id: 't1', protocols }) }
    }
    const first = await open()
    await submit(first.ledger, 'a')
    await submit(first.ledger, 'b', { run_id: 'r2' })
    await work(first.ledger)
    await first.ledger.batch((make) => [make.sealGroup('run', 'r1')])
    expect(await stateOf(first.ledger)).toBe('pending')
    await first.ledger.close()

    const second = await open()
    second.ledger.keepTime()
    await second.world.advanceBy(1)
    expect([await stateOf(second.ledger), await stateOf(second.ledger, 'r2')]).toEqual([
      'succeeded',
      'pending',
    ])
    await second.ledger.batch((make) => [make.sealGroup('run', 'r2')])
    await work(second.ledger)
    await second.ledger.close()

    const third = await open()
    expect(await stateOf(third.ledger, 'r2')).toBe('succeeded')
    await third.ledger.close()
  })

  it('keeps tenants apart', async () => {
    const { ledger, world } = await liveLedger(STEPS)
    ledger.keepTime()
    for (const tenant_id of ['t1', 't2']) {
      await submit(ledger, 'a', { tenant_id })
      await ledger.runs.seal('r1', { tenant_id })
    }
    await world.advanceBy(LOOK)
    await work(ledger)
    await work(ledger, false)
    await world.advanceBy(1)
    expect([await stateOf(ledger, 'r1', 't1'), await stateOf(ledger, 'r1', 't2')].sort()).toEqual([
      'failed',
      'succeeded',
    ])
    await ledger.close()
  })

  it('starts and stops as often as one likes, and goes on after it could not', async () => {
    const { ledger, world } = await liveLedger(STEPS)
    await submit(ledger, 'a')
    const keeper = new RunKeeper(ledger, world)
    keeper.start()
    await world.advanceBy(1)
    const followed = vi.spyOn(ledger.runs, 'followed').mockRejectedValueOnce(new Error('disk full'))
    await ledger.batch((make) => [make.sealGroup('run', 'r1')])
    await work(ledger)
    await settle()
    await world.advanceBy(1000)
    expect(followed.mock.calls.length).toBeGreaterThan(1)
    expect(await stateOf(ledger)).toBe('succeeded')
    expect(keeper.restsUntil).toBeNull()
    await keeper.stop()
    await keeper.stop()
    expect(keeper.isStopped).toBe(true)
    await ledger.close()
  })

  it('hears of the end of a job that it was just being told is open', async () => {
    // The job that the run was known to go on with ended, and another one was found to be open; that one ended while the answer
    // was on its way, and was not known to matter yet. The run went on for ever.
    const { ledger, world } = await liveLedger(STEPS)
    for (const id of ['a', 'b']) await submit(ledger, id)
    ledger.keepTime()
    await world.advanceBy(LOOK)
    await ledger.runs.seal('r1')
    await world.advanceBy(LOOK)
    const held = await ledger.jobs.claim({ queues: [QUEUE], limit: 2 })
    await world.advanceBy(LOOK)
    const { witness } = await ledger.runs.followed('r1')
    const [known, other] = [...held].sort((x) => (x.job.job_id === witness ? -1 : 1))
    if (known === undefined || other === undefined) throw new Error('There is work for two')
    const followed = ledger.runs.followed.bind(ledger.runs)
    vi.spyOn(ledger.runs, 'followed').mockImplementationOnce(async (...run) => {
      const answer = await followed(...run)
      expect(answer.witness).toBe(other.job.job_id)
      await ledger.jobs.result(other.step, { status: 'SUCCEEDED' })
      await settle()
      return answer
    })
    await ledger.jobs.result(known.step, { status: 'SUCCEEDED' })
    await world.advanceBy(LOOK)
    expect(await stateOf(ledger)).toBe('succeeded')
    await ledger.close()
  })

  it('hears of a run that begins while it stops listening because the last one has ended', async () => {
    // What is told while it listens does not wake it, and it stopped before it had heard it: the new run was left alone.
    const { ledger, world } = await liveLedger(STEPS)
    await submit(ledger, 'a')
    await work(ledger)
    await ledger.batch((make) => [make.sealGroup('run', 'r1')])
    const never = async function* (signal: AbortSignal) {
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
      yield* []
    }
    vi.spyOn(ledger, 'events').mockImplementationOnce(({ signal } = {}) => never(signal as AbortSignal))
    const followed = ledger.runs.followed.bind(ledger.runs)
    vi.spyOn(ledger.runs, 'followed').mockImplementationOnce(async (...run) => {
      const answer = await followed(...run)
      await submit(ledger, 'b', { run_id: 'r2' })
      await work(ledger)
      return answer
    })
    ledger.keepTime()
    await world.advanceBy(LOOK)
    expect([await stateOf(ledger), await stateOf(ledger, 'r2')]).toEqual(['succeeded', 'running'])
    await ledger.close()
  })

  it('leaves jobs alone that name a run nobody made', async () => {
    const { ledger, world } = await liveLedger(STEPS)
    await submit(ledger, 'a')
    ledger.keepTime()
    await world.advanceBy(LOOK)
    const { NotFound } = await import('../errors/refusal-errors.ts')
    const refusal = { code: 'NOT_FOUND', message: 'The run r9 is not known here', next: '', details: {} }
    const missing = new NotFound(refusal as never)
    vi.spyOn(ledger.workstreams, 'followed').mockRejectedValue(missing)
    await submit(ledger, 'b', { workstream_id: 'w1' })
    await world.advanceBy(LOOK)
    await ledger.runs.seal('r1')
    await work(ledger)
    await work(ledger)
    await world.advanceBy(LOOK)
    expect(await stateOf(ledger)).toBe('succeeded')
    expect(world.logged.filter(({ level }) => level === 'error')).toEqual([])
    await ledger.close()
  })

  it('leaves what it only found open to whoever comes next, when it is stopped, but nothing that it heard of', async () => {
    const { ledger, world } = await liveLedger(STEPS)
    for (let n = 0; n < 300; n++) await ledger.workstreams.create({ workstream_id: `w${n}` })
    await ledger.runs.create({ run_id: 'r1' })
    await submit(ledger, 'a')
    await ledger.runs.seal('r1')
    const follow = ledger.workstreams.followed.bind(ledger.workstreams)
    const begun = Promise.withResolvers<void>()
    const goOn = Promise.withResolvers<void>()
    const followed = vi.spyOn(ledger.workstreams, 'followed').mockImplementationOnce(async (...of) => {
      begun.resolve()
      await goOn.promise
      return follow(...of)
    })
    const keeper = new RunKeeper(ledger, world)
    keeper.start()
    await begun.promise
    await work(ledger)
    const stopped = keeper.stop()
    goOn.resolve()
    await stopped
    expect(followed.mock.calls.length).toBe(1)
    expect(await stateOf(ledger)).toBe('succeeded')
    await ledger.close()
  })
})
