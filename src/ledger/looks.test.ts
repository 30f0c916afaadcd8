// Looks at everything at once: radar, activity, overview and tenants, on every engine.
import { describe, expect, it } from 'vitest'
import { isEmulated, openTestLedger } from '../../test/fixtures/test-ledger.ts'
import { HOUR_MS, MINUTE_MS, SECOND_MS, toIso } from '../core/time.ts'
import type { LiveLedger } from '../runtime/live-ledger.ts'
import { virtualWorld } from '../testing/virtual-world.ts'
import { ActivityLog } from './activity.ts'
import type { Work } from './claim.ts'

const PROTOCOLS = [
  {
    protocol_id: 'two.v1',
    request_type: 'TWO',
    steps: [
      { step_id: 'load', step_type: 'L', service: 'loader', delivery: 'pull' },
      { step_id: 'parse', step_type: 'P', service: 'parser', delivery: 'pull' },
    ],
  },
  {
    protocol_id: 'pushed.v1',
    request_type: 'PUSHED',
    steps: [{ step_id: 'p', step_type: 'P', service: 'service', delivery: 'push' }],
  },
] as const

async function scene() {
  const world = virtualWorld()
  const ledger = await openTestLedger({ world, protocols: PROTOCOLS, inFlightLimit: 5000 })
  const submit = (job_id: string, more: object = {}) =>
    ledger.jobs.submit({
      tenant_id: 'default',
      request_type: 'TWO',
      job_id,
      input_ref: job_id,
      output_ref: 'o',
      payload: {},
      schema_version: 'v1',
      ...more,
    })
  return { world, ledger, submit, audit: ledger.audit, now: () => world.clock.now() }
}

async function claim(ledger: LiveLedger, queue: string, worker = 'ada'): Promise<Work> {
  const [work] = await ledger.jobs.claim({ queues: [queue], worker })
  if (work === undefined) throw new Error(`Nothing is ready in ${queue}`)
  return work
}

const fail = (failure_class: 'RETRYABLE' | 'NON_RETRYABLE') =>
  ({ status: 'FAILED', failure_class, error: { code: 'X', message: 'x' } }) as const
const DONE = { status: 'SUCCEEDED' } as const

describe('the radar', () => {
  it('tells where jobs stand and what is stuck, and how those fared that ended', async () => {
    const { world, ledger, submit, now } = await scene()
    const long = now()
    await submit('done')
    await ledger.jobs.result((await claim(ledger, 'loader')).step, DONE)
    await ledger.jobs.result((await claim(ledger, 'parser')).step, DONE)
    await world.advanceBy(2 * HOUR_MS)
    await submit('failed')
    await ledger.jobs.result((await claim(ledger, 'loader')).step, DONE)
    await ledger.jobs.result((await claim(ledger, 'parser')).step, fail('NON_RETRYABLE'))
    await submit('retrying')
    await ledger.jobs.result((await claim(ledger, 'loader')).step, fail('RETRYABLE'))
    await submit('parsing')
    await ledger.jobs.result((await claim(ledger, 'loader')).step, DONE)
    await claim(ledger, 'parser')
    const at = toIso(now())
    await world.advanceBy(SECOND_MS)
    await submit('waits', { workstream_id: 'ws' })
    await submit('held', { depends_on: ['waits'] })
    await submit('theirs', { tenant_id: 'other' })
    await world.advanceBy(HOUR_MS)

    const query = { tenant_id: 'default', by: 'pipeline', hours: 2 } as const
    expect(await ledger.radar(query)).toStrictEqual({
      by: 'pipeline',
      as_of: toIso(now()),
      ended_from: toIso(now() - 2 * HOUR_MS),
      is_more: false,
      rows: [
        {
          tenant_id: 'default',
          row: 'two.v1',
          filter: { protocol_id: 'two.v1' },
          open: 4,
          cells: [
            {
              stage: 'load',
              stage_index: 0,
              waiting: 2,
              running: 0,
              retrying: 1,
              oldest_since: at,
              oldest_job_id: 'retrying',
              stuck: 1,
              stuck_after_seconds: 3600,
              passed: 1,
              failed: 0,
            },
            {
              stage: 'parse',
              stage_index: 1,
              waiting: 0,
              running: 1,
              retrying: 0,
              oldest_since: at,
              oldest_job_id: 'parsing',
              stuck: 1,
              stuck_after_seconds: 3600,
              passed: 0,
              failed: 1,
            },
          ],
        },
      ],
    })
    const [all] = (await ledger.radar({ ...query, hours: 24 })).rows
    expect(all?.cells.map(({ passed, failed }) => [passed, failed])).toEqual([
      [2, 0],
      [1, 1],
    ])
    expect(toIso(long) < at).toBe(true)
    const everybody = await ledger.radar({ ...query, tenant_id: '*' })
    expect(everybody.rows.map(({ tenant_id, open }) => [tenant_id, open])).toEqual([
      ['default', 4],
      ['other', 1],
    ])
    const streams = await ledger.radar({ ...query, by: 'workstream' })
    expect(streams.rows).toMatchObject([{ row: 'ws', filter: { workstream_id: 'ws' }, open: 1 }])
  })

  it('goes by how long the service usually takes, when that is known', async () => {
    const { world, ledger, submit } = await scene()
    for (let i = 0; i < 20; i++) {
      await submit(`done-${i}`)
      const { step } = await claim(ledger, 'loader')
      await world.advanceBy(2 * SECOND_MS)
      await ledger.jobs.result(step, DONE)
    }
    await submit('slow')
    await claim(ledger, 'loader')
    await world.advanceBy(3 * SECOND_MS)
    const [row] = (await ledger.radar({ tenant_id: 'default', by: 'pipeline', hours: 1 })).rows
    expect(row?.cells[0]).toMatchObject({ running: 1, stuck: 1 })
    expect(row?.cells[0]?.stuck_after_seconds).toBeCloseTo(2, 1)
    // Nobody takes what was loaded, and of parsing nothing is known.
    expect(row?.cells[1]).toMatchObject({ waiting: 20, stuck: 0, stuck_after_seconds: 3600 })
  })
})

describe('activity', () => {
  const total = (counts: readonly number[]) => counts.reduce((sum, n) => sum + n, 0)

  it('counts what happened, each once however often it is looked at', async () => {
    const { world, ledger, submit, audit } = await scene()
    const activity = new ActivityLog(audit, world.clock)
    const look = (tenant_id = 'default', minutes = 60) => activity.look({ tenant_id, minutes })
    expect(await look()).toMatchObject({ tenant_id: 'default', step_seconds: 60, complete_from: null })
    await submit('a')
    await ledger.jobs.result((await claim(ledger, 'loader')).step, fail('RETRYABLE'))
    await submit('b')
    await ledger.jobs.cancel('b')
    await submit('c')
    await ledger.jobs.result((await claim(ledger, 'loader')).step, fail('NON_RETRYABLE'))
    await submit('theirs', { tenant_id: 'other' })
    const seen = await look()
    expect(seen.at).toHaveLength(60)
    expect(seen).toMatchObject({ until: toIso(world.clock.now()), complete_from: null })
    const last = (name: 'submitted' | 'retried' | 'cancelled' | 'failed' | 'succeeded') => seen[name].at(-1)
    expect([last('submitted'), last('retried'), last('cancelled'), last('failed')]).toEqual([3, 1, 1, 1])
    await world.advanceBy(5 * MINUTE_MS)
    await submit('d')
    const later = await look()
    expect(later.submitted.slice(-6)).toEqual([3, 0, 0, 0, 0, 1])
    expect(total((await look('*')).submitted)).toBe(5)
    expect(total((await look('other')).submitted)).toBe(1)
    expect((await look('default', 1)).step_seconds).toBe(1)
    expect(total((await look('default', 1)).submitted)).toBe(1)
    await world.advanceBy(26 * HOUR_MS)
    expect(total((await look('*', 1440)).submitted)).toBe(0)
  })

  // 130 jobs one after the other, read as the one before reads its own.
  it.skipIf(isEmulated)('says from when on it is complete when more happened than it reads', async () => {
    const { world, submit, audit } = await scene()
    const activity = new ActivityLog(audit, world.clock, { mostRead: 100 })
    const start = world.clock.now()
    for (let i = 0; i < 130; i++) {
      await submit(`j${i}`)
      await world.advanceBy(SECOND_MS)
    }
    const { complete_from, submitted } = await activity.look({ tenant_id: 'default', minutes: 5 })
    expect(total(submitted)).toBe(100)
    expect(complete_from).toBe(toIso(start + 30 * SECOND_MS))
    await submit('one more')
    expect(total((await activity.look({ tenant_id: '*', minutes: 5 })).submitted)).toBe(101)
  })

  it('remembers so many seconds at most, and says so', async () => {
    const { world, submit, audit } = await scene()
    const activity = new ActivityLog(audit, world.clock, { mostSeconds: 10 })
    for (let i = 0; i < 12; i++) {
      await submit(`j${i}`)
      await world.advanceBy(SECOND_MS)
    }
    const { complete_from, submitted } = await activity.look({ tenant_id: 'default', minutes: 1 })
    expect(complete_from).not.toBeNull()
    expect(total(submitted)).toBe(5)
  })

  it('counts nothing twice when a look failed half-way', async () => {
    const { world, submit, audit } = await scene()
    let fails = true
    const query: typeof audit.query = (asked) =>
      fails && asked?.after !== undefined ? Promise.reject(new Error('gone')) : audit.query(asked)
    const activity = new ActivityLog({ query }, world.clock)
    for (let i = 0; i < 150; i++) await submit(`j${i}`)
    const look = () => activity.look({ tenant_id: 'default', minutes: 60 })
    await expect(look()).rejects.toThrow('gone')
    fails = false
    const [one, other] = await Promise.all([look(), look()])
    expect([total(one.submitted), total(other.submitted)]).toEqual([150, 150])
  })
})

describe('the overview', () => {
  it('tells what waits and why, what is to be published, who works, and which runs ended', async () => {
    const { world, ledger, submit, now } = await scene()
    const first = toIso(now())
    await submit('begun')
    await claim(ledger, 'loader', 'ada')
    await submit('begun too', { tenant_id: 'other' })
    await claim(ledger, 'loader', 'ada')
    await world.advanceBy(SECOND_MS)
    const second = toIso(now())
    await submit('pushed', { request_type: 'PUSHED' })
    await world.advanceBy(SECOND_MS)
    const third = toIso(now())
    for (const n of [1, 2, 3, 4, 5]) await submit(`w${n}`, { depends_on: n === 1 ? ['begun'] : [] })
    for (const run_id of ['good', 'bad', 'open']) await ledger.runs.create({ run_id })
    for (const run_id of ['good', 'bad']) await ledger.runs.update(run_id, 'running')
    await ledger.runs.update('good', 'succeeded')
    await world.advanceBy(SECOND_MS)
    await ledger.runs.update('bad', 'failed')

    const told = await ledger.overview()
    expect(told.waiting).toMatchObject({ count: 6, is_more: false })
    expect(told.waiting.oldest.map(({ job_id, cause, since }) => [job_id, cause, since])).toEqual([
      ['pushed', 'dispatcher', second],
      ['w1', 'dependency', third],
      ['w2', 'worker', third],
      ['w3', expect.any(String), third],
      ['w4', expect.any(String), third],
    ])
    expect(told.waiting.oldest[1]?.message).toContain('begun')
    expect(told.outbox).toEqual({ pending: 1, is_more: false, oldest_at: second, oldest_job_id: 'pushed' })
    expect(told.runs).toMatchObject({
      items: [{ run_id: 'bad' }, { run_id: 'good' }],
      succeeded: 1,
      ended: 2,
    })
    expect(told.workers).toEqual({
      items: [
        {
          name: 'ada',
          tenants: ['default'],
          queues: ['loader'],
          running: 1,
          since: first,
          lease_expires_at: expect.any(String),
          jobs: [{ tenant_id: 'default', job_id: 'begun', step_id: 'load', since: first }],
        },
      ],
      is_more: false,
    })
    const everybody = await ledger.overview('*')
    expect(everybody.workers.items).toMatchObject([
      { name: 'ada', tenants: ['default', 'other'], running: 2 },
    ])
    expect(await ledger.overview('nobody')).toEqual({
      tenant_id: 'nobody',
      waiting: { count: 0, is_more: false, oldest: [] },
      outbox: { pending: 0, is_more: false, oldest_at: null, oldest_job_id: null },
      workers: { items: [], is_more: false },
      runs: { items: [], succeeded: 0, ended: 0 },
    })
  })
})

describe('tenants', () => {
  it('are those with open jobs, those that something happened to, and the default one', async () => {
    const { ledger, submit } = await scene()
    expect(await ledger.tenants()).toEqual({ items: [{ tenant_id: 'default', open: 0 }], is_more: false })
    await submit('a', { tenant_id: 'b' })
    await submit('b', { tenant_id: 'b' })
    await ledger.documents.updateState('d', 'fetching', { tenant_id: 'a' })
    await ledger.queues.pause('loader')
    expect((await ledger.tenants()).items).toEqual([
      { tenant_id: 'a', open: 0 },
      { tenant_id: 'b', open: 2 },
      { tenant_id: 'default', open: 0 },
    ])
    expect(await ledger.tenants(['b', 'nobody'])).toEqual({
      items: [
        { tenant_id: 'b', open: 2 },
        { tenant_id: 'nobody', open: 0 },
      ],
      is_more: false,
    })
  })
})
