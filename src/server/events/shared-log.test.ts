import { describe, expect, it } from 'vitest'
import { ANN, eventHub, failing } from '../../../test/fixtures/event-hub.ts'
import { BadCursor } from '../../errors/input-errors.ts'
import { START } from '../../store/store.ts'

describe('the log', () => {
  it('A70: is followed again from the last entry when that fails, which clients do not notice', async () => {
    let told: ReturnType<typeof failing>['told'] | undefined
    const { open, happens, world, log, settle } = await eventHub({}, (ledger) => {
      const made = failing(ledger)
      told = made.told
      return made.followed
    })
    const sink = await open({ after: START })
    await happens(2)
    if (told === undefined) throw new Error('nothing follows')
    told.fail = new Error('the server is gone')
    await happens(3)
    await world.advanceBy(100 + 200 + 400)
    expect([sink.ids.length, told.watches]).toEqual([2, 4])
    told.fail = null
    await world.advanceBy(800)
    await settle()
    expect([sink.ids, sink.state]).toEqual([await log(), 'begun'])
    expect(world.logged.filter(({ level }) => level === 'error')).toHaveLength(4)
  })

  it('is read once for all, not before somebody comes, and not for long after', async () => {
    let told: ReturnType<typeof failing>['told'] | undefined
    const { open, happens, world, log } = await eventHub({}, (ledger) => {
      const made = failing(ledger)
      told = made.told
      return made.followed
    })
    await happens(1)
    expect(told?.watches).toBe(0)
    const sinks = await Promise.all([open(), open(), open()])
    expect(told?.watches).toBe(1)
    for (const sink of sinks) sink.leave()
    await world.advanceBy(59_000)
    const again = await open({ after: START })
    expect(told?.watches).toBe(1)
    again.leave()
    await world.advanceBy(61_000)
    await happens(3)
    const last = await open({ after: START })
    expect([told?.watches, last.ids]).toEqual([2, await log()])
  })

  it('that ends ends all streams in good order', async () => {
    const { open, ledger, settle, hub } = await eventHub()
    const sink = await open()
    await ledger.close()
    await settle()
    expect([sink.state, hub.counters.clients]).toEqual(['ended', 0])
  })

  it('that is another one makes everybody come back', async () => {
    let told: ReturnType<typeof failing>['told'] | undefined
    const { open, happens, world } = await eventHub({}, (ledger) => {
      const made = failing(ledger)
      told = made.told
      return made.followed
    })
    const sink = await open()
    if (told === undefined) throw new Error('nothing follows')
    told.fail = new BadCursor('7')
    await happens(1)
    expect(sink.state).toBe('destroyed')
    told.fail = null
    await world.advanceBy(1000)
    const again = await open({ after: START })
    expect(again.ids).toHaveLength(1)
  })

  it('with an order for each record only is read by each client for itself', async () => {
    const { open, happens, log, world, hub } = await eventHub({}, (ledger) => ({
      audit: ledger.audit,
      stats: () => ledger.stats(),
      events: (options) => ledger.events(options),
      capabilities: { ...ledger.capabilities, order: 'per-record' },
    }))
    await happens(3)
    const whole = await open({ after: START })
    const own = await open({ principal: { ...ANN, tenants: new Set(['t2']) } })
    own.isFull = true
    await happens(2, 't2')
    await happens(1, 't1')
    expect([whole.ids, own.ids]).toEqual([await log(), (await log()).slice(3, 4)])
    own.drain()
    await world.advanceBy(15_000)
    expect([own.ids, own.lastEventId]).toEqual([(await log()).slice(3, 5), (await log())[4]])
    await expect(open({ after: '99' })).rejects.toThrow(BadCursor)
    await hub.stop()
    expect([whole.state, own.state]).toEqual(['ended', 'ended'])
  })

  // A watch that was broken for longer than history is kept would go on after what was removed, and nobody would know.
  it('that lost entries before they were read makes everybody come back, to be told', async () => {
    let isRemoved = false
    const { open, happens, settle, hub } = await eventHub({}, (ledger) => ({
      capabilities: ledger.capabilities,
      stats: async () => ({ removed_audit_records: isRemoved ? 4 : 0 }),
      audit: {
        query: (query = {}) =>
          ledger.audit.query(isRemoved && Number(query.after ?? 0) < 4 ? { ...query, after: '4' } : query),
      },
      async *events(options) {
        for await (const record of ledger.events(options)) {
          if (!(record.seq === 3 || record.seq === 4)) yield record
        }
      },
    }))
    const sink = await open()
    await happens(2)
    isRemoved = true
    await happens(3)
    expect([sink.ids, sink.state, hub.counters.clients]).toEqual([['1', '2'], 'destroyed', 0])
    const again = await open({ after: sink.lastEventId })
    await settle()
    expect(again.blocks[1]).toMatchObject({
      event: 'gap',
      data: expect.stringContaining('"after":"2","oldest":"5"'),
    })
    expect(again.ids).toEqual(['5'])
  })

  it('may have places without an entry', async () => {
    const { open, happens, log } = await eventHub({}, (ledger) => ({
      capabilities: ledger.capabilities,
      stats: () => ledger.stats(),
      audit: ledger.audit,
      async *events(options) {
        for await (const record of ledger.events(options)) if (record.seq !== 3) yield record
      },
    }))
    const sink = await open()
    await happens(5)
    expect([sink.ids, sink.state]).toEqual([(await log()).toSpliced(2, 1), 'begun'])
  })
})
