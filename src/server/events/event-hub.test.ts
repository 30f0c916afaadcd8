import { describe, expect, it } from 'vitest'
import { ANN, eventHub } from '../../../test/fixtures/event-hub.ts'
import { FakeSink } from '../../../test/fixtures/fake-sink.ts'
import { BadCursor } from '../../errors/input-errors.ts'
import { START } from '../../store/store.ts'

describe('event hub', () => {
  it('tells what happens from now on, and the first thing that it says is where that is', async () => {
    const { open, happens, log } = await eventHub()
    await happens(3)
    const sink = await open()
    expect(sink.blocks).toEqual([{ retry: '1000', id: (await log())[2], comments: 0 }])
    await happens(2)
    expect(sink.ids).toEqual((await log()).slice(3))
    expect(sink.records[0]).toMatchObject({ kind: 'document', new_state: 'fetching' })
    expect(sink.blocks.at(-1)).toEqual({ id: sink.ids[1], data: expect.any(String), comments: 0 })
  })

  it('tells everything from the beginning, or after a cursor, wherever that is', async () => {
    for (const mostFrames of [2, 100]) {
      const { open, happens, log } = await eventHub({ mostFrames })
      await happens(3)
      const live = await open()
      await happens(5)
      const whole = await log()
      for (const [nth, cursor] of [START, ...whole].entries()) {
        const sink = await open({ after: cursor })
        expect([cursor, sink.ids, sink.blocks[0]?.id]).toEqual([cursor, whole.slice(nth), cursor])
      }
      expect(live.ids).toEqual(whole.slice(3))
    }
  })

  it('goes on live after it has caught up, in every mixture of the two', async () => {
    const { open, happens, log, hub } = await eventHub({ mostFrames: 2 })
    await happens(1500)
    const sinks = await Promise.all([START, START, '700', '1499', '1500'].map((after) => open({ after })))
    await happens(10)
    const whole = await log()
    expect(sinks.map((sink) => sink.ids)).toEqual([0, 0, 700, 1499, 1500].map((from) => whole.slice(from)))
    expect(hub.counters).toMatchObject({ clients: 5, frames_sent: 3 * 10 + 2 * 1500 + 800 + 1 + 20 })
    expect(hub.counters.catch_ups).toBeGreaterThanOrEqual(4)
  })

  it('refuses a cursor that is none before anything is written', async () => {
    const { hub, happens } = await eventHub()
    await happens(3)
    for (const after of ['', 'x', '-1', '4', '99999999999999999']) {
      const sink = new FakeSink()
      const opening = hub.open({ sink, principal: ANN, filter: {}, after })
      await expect(opening).rejects.toThrow(BadCursor)
      expect(sink.state).toBe('new')
    }
    expect(hub.counters.clients).toBe(0)
  })

  it('shows each what it asks for of what it may see', async () => {
    const { open, happens } = await eventHub({ mostFrames: 3 })
    await happens(2, 't1')
    await happens(2, 't2')
    const tenants = new Set(['t2', 't3'])
    const own = { after: START, principal: { ...ANN, tenants } }
    const sinks = await Promise.all([
      open(own),
      open({ ...own, filter: { tenant_id: 't1' } }),
      open({ ...own, filter: { id: 'd3' } }),
      open({ after: START, filter: { tenant_id: 't1' } }),
      open({ principal: own.principal }),
    ])
    await happens(1, 't1')
    await happens(1, 't2')
    expect(sinks.map((sink) => sink.records.map(({ id }) => id))).toEqual([
      ['d2', 'd3', 'd5'],
      [],
      ['d3'],
      ['d0', 'd1', 'd4'],
      ['d5'],
    ])
  })

  it('writes what came together with one write to each', async () => {
    const { open, ledger, settle } = await eventHub()
    const sinks = await Promise.all([open(), open(), open({ filter: { id: 'd7' } })])
    await Promise.all(Array.from({ length: 50 }, (_, n) => ledger.documents.updateState(`d${n}`, 'fetching')))
    await settle()
    expect(sinks.map(({ writes, ids }) => [writes, ids.length])).toEqual([
      [2, 50],
      [2, 50],
      [2, 1],
    ])
  })

  it('gathers for a while when there are many', async () => {
    const { open, happens, world } = await eventHub({ mostPerPrincipal: 1000 })
    const sinks = await Promise.all(Array.from({ length: 100 }, () => open()))
    for (let n = 0; n < 5; n++) await happens(1)
    expect(new Set(sinks.map(({ ids }) => ids.length))).toEqual(new Set([0]))
    await world.advanceBy(10)
    expect(new Set(sinks.map(({ ids, writes }) => `${ids.length} ${writes}`))).toEqual(new Set(['5 2']))
  })
})

describe('heartbeats', () => {
  it('bring on those for whom nothing happens, without an event', async () => {
    const { open, happens, world, log } = await eventHub()
    const sink = await open({ filter: { id: 'nothing' } })
    await happens(3)
    expect(sink.lastEventId).toBe(START)
    await world.advanceBy(15_000)
    expect(sink.blocks.at(-1)).toEqual({ id: (await log())[2], comments: 1 })
    expect(sink.records).toEqual([])
    await world.advanceBy(15_000)
    expect(sink.blocks.at(-1)).toEqual({ comments: 1 })
    const again = await open({ after: sink.lastEventId, filter: { id: 'd3' } })
    await happens(1)
    expect(again.ids).toEqual((await log()).slice(3))
  })

  it('end the streams of those who are not allowed any more', async () => {
    const { open, world, hub } = await eventHub()
    let isValid = true
    const sink = await open({ stillAllowed: () => isValid })
    const other = await open()
    await world.advanceBy(15_000)
    isValid = false
    expect(sink.state).toBe('begun')
    await world.advanceBy(15_000)
    expect([sink.state, other.state, hub.counters.clients]).toEqual(['destroyed', 'begun', 1])
    expect(hub.counters.clients_dropped).toBe(0)
  })
})

describe('those who do not read', () => {
  it('are given nothing more, and are dropped after a while', async () => {
    const { open, happens, world, hub } = await eventHub({ mostFrames: 10 })
    const sink = await open()
    sink.isFull = true
    await happens(1)
    const { writes } = sink
    await happens(100)
    await world.advanceBy(29_999)
    expect([sink.writes, sink.state]).toEqual([writes, 'begun'])
    await world.advanceBy(1)
    expect([sink.state, hub.counters]).toMatchObject(['destroyed', { clients: 0, clients_dropped: 1 }])
    expect(world.logged).toContainEqual(expect.objectContaining({ fields: { name: 'ann', why: 'stalled' } }))
  })

  it('get all that they missed when they read on, from memory or from the log', async () => {
    for (const mostFrames of [10, 1000]) {
      const { open, happens, world, hub, log } = await eventHub({ mostFrames })
      const sink = await open()
      sink.isFull = true
      await happens(700)
      await world.advanceBy(29_000)
      sink.drain()
      await happens(1)
      expect(sink.ids).toEqual(await log())
      expect(hub.counters).toMatchObject({ clients: 1, catch_ups: mostFrames === 10 ? 1 : 0 })
    }
  })

  it('do not keep others from catching up', async () => {
    const { hub, open, happens, world, settle } = await eventHub({ mostFrames: 2, readers: 1 })
    await happens(1200)
    await open()
    const stuck = new FakeSink()
    stuck.isFull = true
    await hub.open({ sink: stuck, principal: ANN, filter: {}, after: START })
    await settle()
    stuck.drain()
    stuck.isFull = true
    await settle()
    const opening = open({ after: START })
    await world.advanceBy(10_000)
    const other = await opening
    expect([other.ids.length, stuck.ids.length < 1200]).toEqual([1200, true])
    // What it was sent before it took no more it is not sent again.
    for (let n = 0; n < 100; n++) {
      stuck.drain()
      await settle()
    }
    expect(stuck.ids).toEqual(other.ids)
  })
})

describe('who is let in', () => {
  it('are so many, and so many of one', async () => {
    const { open, hub } = await eventHub({ mostClients: 3, mostPerPrincipal: 2 })
    const first = await open()
    await open()
    await expect(open()).rejects.toMatchObject({ code: 'STREAM_LIMIT', status: 429 })
    await open({ principal: { ...ANN, token_id: 'k1' } })
    const opening = open({ principal: { ...ANN, token_id: 'k2' } })
    await expect(opening).rejects.toMatchObject({
      code: 'TOO_MANY_STREAMS',
      status: 503,
      details: { retry_after_seconds: 5 },
    })
    first.leave()
    await open()
    expect(hub.counters.clients).toBe(3)
  })

  it('are put out at once when they may no longer be there', async () => {
    const { open, hub, happens } = await eventHub()
    const revoked = await open({ principal: { ...ANN, token_id: 'k1' } })
    const other = await open({ principal: { ...ANN, token_id: 'k2' } })
    hub.dropWhere(({ token_id }) => token_id === 'k1')
    expect(revoked.state).toBe('destroyed')
    await happens(1)
    expect([revoked.ids.length, other.ids.length, hub.counters.clients]).toEqual([0, 1, 1])
  })

  it('are put out as well while they come in', async () => {
    const { hub, happens } = await eventHub()
    await happens(1)
    const [revoked, left] = [new FakeSink(), new FakeSink()]
    const opening = [revoked, left].map((sink) =>
      hub.open({ sink, principal: ANN, filter: {}, after: START }),
    )
    left.leave()
    hub.dropWhere(() => true)
    await Promise.all(opening)
    expect([revoked.state, revoked.writes, left.writes, hub.counters.clients]).toEqual(['destroyed', 0, 0, 0])
  })
})

describe('stop', () => {
  it('ends all in good order, lets nobody in, and waits only so long', async () => {
    const { open, hub, happens, world } = await eventHub()
    const sink = await open()
    const stuck = await open()
    stuck.isFull = true
    await happens(1)
    const entering = new FakeSink()
    const opening = hub.open({ sink: entering, principal: ANN, filter: {} })
    const stopping = hub.stop()
    await expect(opening).rejects.toMatchObject({ code: 'SERVICE_STOPPING' })
    expect([sink.state, stuck.state, entering.state]).toEqual(['ended', 'ended', 'new'])
    await world.advanceBy(5000)
    await stopping
    expect([stuck.state, hub.counters.clients, world.clock.nextTimer]).toEqual(['destroyed', 0, null])
    await expect(open()).rejects.toMatchObject({ code: 'SERVICE_STOPPING' })
    await hub.stop()
  })

  it('has nothing to wait for when nobody is there', async () => {
    const { hub } = await eventHub()
    await hub.stop()
    expect(hub.counters.clients).toBe(0)
  })
})
