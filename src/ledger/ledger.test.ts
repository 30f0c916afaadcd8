import { describe, expect, it } from 'vitest'
import { openTestLedger, testEngine } from '../../test/fixtures/test-ledger.ts'
import { LedgerState } from '../core/document/states.ts'
import { LedgerClosed, Unsupported } from '../errors/input-errors.ts'
import { openLedger } from '../open-ledger.ts'
import { START } from '../store/store.ts'
import { virtualWorld } from '../testing/virtual-world.ts'

const PULLED = {
  protocol_id: 'p.v1',
  request_type: 'P',
  steps: [{ step_id: 's', step_type: 'S', service: 's', delivery: 'pull' }],
} as const

const REQUEST = {
  tenant_id: 'default',
  request_type: 'P',
  input_ref: 'in',
  output_ref: 'out',
  payload: {},
  schema_version: 'v1',
} as const

describe('opening', () => {
  it.each(['ftp://somewhere', '', 'memory', undefined])('lists the engines there are for %j', async (url) => {
    const error = await openLedger(url as string).catch((e: unknown) => e)
    expect(error).toMatchObject({
      code: 'UNKNOWN_ENGINE',
      field: 'url',
      next: 'Known are: memory:, sqlite:./ledger.db, postgres://user@host/database, azure-tables:https://account.table.core.windows.net, ./folder',
    })
  })

  it('refuses a limit that would let nothing in', async () => {
    await expect(openLedger('memory:', { inFlightLimit: 0 })).rejects.toMatchObject({
      field: 'inFlightLimit',
    })
  })

  it.each([
    ['actor', { actor: '' }],
    ['tenant_id', { tenant_id: 'a\tb' }],
    ['inFlightLimit', { inFlightLimit: '5' }],
  ])('refuses a bad %s', async (field, options) => {
    await expect(openLedger('memory:', options as never)).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      field,
    })
  })

  it('takes an option that is undefined for one that is absent', async () => {
    const options = { actor: undefined, inFlightLimit: undefined, world: { logger: undefined } } as object
    await using ledger = await openTestLedger(options)
    await ledger.documents.updateState('d', LedgerState.FETCHING)
    expect((await ledger.audit.query()).items).toMatchObject([{ actor: 'local' }])
    await expect(ledger.documents.updateState('d', LedgerState.INDEXED)).rejects.toThrow(/cannot go/)
  })

  it('closes by itself with await using, and says so afterwards', async () => {
    let escaped: Awaited<ReturnType<typeof openLedger>>
    {
      await using ledger = await openLedger('memory:')
      await ledger.documents.updateState('d', LedgerState.FETCHING)
      escaped = ledger
    }
    await expect(escaped.documents.get('d')).rejects.toThrow(LedgerClosed)
    await expect(escaped.documents.updateState('d', LedgerState.FETCHED)).rejects.toThrow(LedgerClosed)
    expect(() => escaped.events()).toThrow(LedgerClosed)
    await escaped.close()
  })
})

describe('what is stored', () => {
  it('stays as it was, whatever becomes of what was handed in or out', async () => {
    await using ledger = await openTestLedger({ world: virtualWorld() })
    const protocol = { ...PULLED, steps: [{ ...PULLED.steps[0], policy: { max_attempts: 2 } }] }
    const payload = { pages: [1, 2] }
    const metadata = { source: { name: 'arxiv' } }
    ledger.jobs.register(protocol)
    const { job_id } = await ledger.jobs.submit({ ...REQUEST, payload })
    const document = await ledger.documents.updateState('d', LedgerState.FETCHING, { metadata })
    const before = JSON.stringify([await ledger.jobs.show(job_id), document])

    payload.pages.push(3)
    metadata.source.name = 'elsewhere'
    for (const step of protocol.steps) step.policy.max_attempts = 99
    for (const record of [document, document.metadata]) {
      expect(() => Object.assign(record, { state: 'completed' })).toThrow(TypeError)
    }
    // What was read may be the reader's own, and changed if they like.
    expect(Reflect.set((await ledger.jobs.get(job_id)) ?? {}, 'state', 'completed')).toBe(
      testEngine === 'sqlite' || testEngine === 'postgres',
    )
    const after = JSON.stringify([await ledger.jobs.show(job_id), await ledger.documents.get('d')])
    expect(after).toBe(before)
    expect((await ledger.audit.query({ id: 'd' })).items).toMatchObject([
      { metadata: { source: { name: 'arxiv' } } },
    ])
  })
})

describe('audit', () => {
  it('A33 filters by error type, adapter, state, actor and time', async () => {
    const world = virtualWorld()
    await using ledger = await openTestLedger({ world })
    await ledger.documents.updateState('a', LedgerState.FETCHING, { adapter: 'x', actor: 'ann' })
    await world.advanceBy(1000)
    await ledger.documents.updateState('b', LedgerState.FETCHING, { adapter: 'y', actor: 'bob' })
    await ledger.documents.updateState('a', LedgerState.FAILED, { error: new RangeError('far') })
    const ids = async (query: Parameters<typeof ledger.audit.query>[0]) =>
      (await ledger.audit.query(query)).items.map((record) => `${record.id} ${record.new_state}`)
    expect(await ids({ error_type: 'RangeError' })).toEqual(['a failed'])
    expect(await ids({ adapter: 'x' })).toEqual(['a fetching', 'a failed'])
    expect(await ids({ state: 'fetching' })).toEqual(['a fetching', 'b fetching'])
    expect(await ids({ actor: 'bob' })).toEqual(['b fetching'])
    expect(await ids({ from: world.clock.now() })).toEqual(['b fetching', 'a failed'])
    expect(await ids({ before: world.clock.now() })).toEqual(['a fetching'])
    expect(await ids({ direction: 'desc', limit: 1 })).toEqual(['a failed'])
  })

  it('A33 tells mean, p50, p95, p99 and the longest time in each state, by adapter', async () => {
    const world = virtualWorld()
    await using ledger = await openTestLedger({ world })
    for (let second = 1; second <= 20; second++) {
      const adapter = second <= 10 ? 'x' : 'y'
      await ledger.documents.updateState(`${second}`, LedgerState.FETCHING, { adapter })
      await world.advanceBy(second * 1000)
      await ledger.documents.updateState(`${second}`, LedgerState.FETCHED)
    }
    const [x, y, ...more] = await ledger.audit.durations({ kind: 'document' })
    expect(more).toEqual([])
    expect(x).toMatchObject({
      state: 'fetching',
      adapter: 'x',
      count: 10,
      mean_seconds: 5.5,
      max_seconds: 10,
    })
    expect(y).toMatchObject({
      state: 'fetching',
      adapter: 'y',
      count: 10,
      mean_seconds: 15.5,
      max_seconds: 20,
    })
    expect(Math.abs((x?.p50_seconds ?? 0) - 5)).toBeLessThanOrEqual(0.05)
    expect(Math.abs((x?.p95_seconds ?? 0) - 10)).toBeLessThanOrEqual(0.1)
    expect(Math.abs((y?.p99_seconds ?? 0) - 20)).toBeLessThanOrEqual(0.2)
    expect(await ledger.audit.durations({ from: world.clock.now() })).toMatchObject([
      { adapter: 'y', count: 1 },
    ])
    expect(await ledger.audit.durations({ state: 'fetched' })).toEqual([])
    expect(await ledger.audit.durations()).toEqual([x, y])
  })

  it('A70 follows events from the start, then live, and again from a cursor', async () => {
    await using ledger = await openTestLedger({ world: virtualWorld() })
    await ledger.documents.updateState('a', LedgerState.FETCHING)
    const seen: string[] = []
    let cursor = START
    const follow = async (count: number) => {
      for await (const event of ledger.events({ after: cursor })) {
        seen.push(`${event.id} ${event.new_state}`)
        cursor = event.cursor
        if (seen.length === count) return
      }
    }
    const first = follow(2)
    await ledger.documents.updateState('b', LedgerState.FETCHING)
    await first
    await ledger.documents.updateState('c', LedgerState.FETCHING)
    await follow(3)
    expect(seen).toEqual(['a fetching', 'b fetching', 'c fetching'])
  })
})

describe('batch', () => {
  it('of requests that were submitted before answers with the jobs there are, however large it is', async () => {
    await using ledger = await openTestLedger({ world: virtualWorld(), inFlightLimit: 2000 })
    ledger.jobs.register(PULLED)
    // One change of an account of Azure has room for fewer.
    const length = ledger.capabilities.engine === 'azure-tables' ? 50 : 1000
    const submitAll = () =>
      ledger.batch((make) =>
        Array.from({ length }, (_, nth) => make.submit({ ...REQUEST, input_ref: `in/${nth}` })),
      )
    const first = await submitAll()
    const again = await submitAll()
    expect(again.map(({ job_id }) => job_id)).toEqual(first.map(({ job_id }) => job_id))
    expect(again.every(({ duplicate }) => duplicate)).toBe(true)
  })

  it('writes all or nothing, and later commands see earlier ones', async () => {
    await using ledger = await openTestLedger({ world: virtualWorld() })
    ledger.jobs.register(PULLED)
    await ledger.batch((make) => [
      make.updateState('a', LedgerState.FETCHING),
      make.updateState('a', LedgerState.FETCHED),
      make.submit({ ...REQUEST, job_id: 'second', depends_on: ['first'], payload: 2 }),
      make.submit({ ...REQUEST, job_id: 'first', payload: 1 }),
    ])
    expect(await ledger.documents.getState('a')).toBe('fetched')
    expect(await ledger.counts('job')).toMatchObject({ QUEUED: 2 })
    const refused = ledger.batch((make) => [
      make.updateState('a', LedgerState.PARSING),
      make.updateState('b', LedgerState.COMPLETED),
    ])
    await expect(refused).rejects.toMatchObject({ code: 'INVALID_STATE_TRANSITION' })
    expect(await ledger.documents.getState('a')).toBe('fetched')
    expect(await ledger.check()).toEqual([])
  })

  it('moves a step and its document together, and answers each command', async () => {
    await using ledger = await openTestLedger({ world: virtualWorld() })
    ledger.jobs.register(PULLED)
    await ledger.jobs.submit(REQUEST)
    const [work] = await ledger.jobs.claim({ queues: ['s'] })
    if (work === undefined) throw new Error('nothing to claim')
    const [reported, document] = await ledger.batch((make) => [
      make.result(work.step, { status: 'SUCCEEDED' }),
      make.updateState('a', LedgerState.FETCHING),
    ])
    expect(reported.job_state).toBe('SUCCEEDED')
    expect(document).toEqual(await ledger.documents.get('a'))
  })

  it('refuses a command that is none, and says which', async () => {
    await using ledger = await openTestLedger({ world: virtualWorld() })
    const batch = ledger.batch((make) => [
      make.updateState('a', LedgerState.FETCHING),
      { type: 'x' } as never,
    ])
    await expect(batch).rejects.toMatchObject({ code: 'INVALID_INPUT', field: 'commands[1].type' })
    expect(await ledger.documents.get('a')).toBeNull()
  })

  it('refuses jobs that wait for each other, and batches without end', async () => {
    await using ledger = await openTestLedger({ world: virtualWorld() })
    ledger.jobs.register(PULLED)
    const circle = ledger.batch((make) => [
      make.submit({ ...REQUEST, job_id: 'a', depends_on: ['b'], payload: 1 }),
      make.submit({ ...REQUEST, job_id: 'b', depends_on: ['a'], payload: 2 }),
    ])
    await expect(circle).rejects.toMatchObject({
      code: 'DEPENDENCY_CYCLE',
      message: expect.stringContaining('a → b'),
    })
    const many = ledger.batch((make) => new Array(1001).fill(make.updateState('a', LedgerState.FETCHING)))
    await expect(many).rejects.toThrow(Unsupported)
  })
})

describe('protocols', () => {
  it.each([
    ['steps', { ...PULLED, steps: [] }],
    ['steps.0.delivery', { ...PULLED, steps: [{ ...PULLED.steps[0], delivery: 'post' }] }],
    ['steps.0.step_id', { ...PULLED, steps: [{ ...PULLED.steps[0], step_id: 'a/b' }] }],
    ['steps', { ...PULLED, steps: [PULLED.steps[0], PULLED.steps[0]] }],
    ['request_type', { ...PULLED, request_type: '' }],
    [
      'steps.0.limits.0.key',
      { ...PULLED, steps: [{ ...PULLED.steps[0], limits: [{ key: 'in-flight', max: 1 }] }] },
    ],
    [
      'steps.0.policy.max_attempts',
      { ...PULLED, steps: [{ ...PULLED.steps[0], policy: { max_attempts: 0 } }] },
    ],
  ])('refuses one with bad %s', async (field, protocol) => {
    await using ledger = await openLedger('memory:')
    expect(() => ledger.jobs.register(protocol as never)).toThrow(
      expect.objectContaining({ code: 'INVALID_INPUT', field }),
    )
  })
})
