import { describe, expect, it } from 'vitest'
import { eventHub } from '../../../test/fixtures/event-hub.ts'
import { type AuditQuery, LARGEST_PAGE } from '../../store/query.ts'
import { START } from '../../store/store.ts'

/** A page of the log, as clients that catch up read it. */
const isPage = ({ limit, direction }: AuditQuery) => limit === LARGEST_PAGE && direction === undefined

/** Lets something happen after each page was read and before it is handed over. */
async function withPages(onPage: (nth: number) => Promise<void>, mostFrames: number) {
  let pages = 0
  return eventHub({ mostFrames }, (ledger) => ({
    capabilities: ledger.capabilities,
    stats: () => ledger.stats(),
    events: (options) => ledger.events(options),
    audit: {
      async query(query = {}) {
        const page = await ledger.audit.query(query)
        if (isPage(query)) await onPage(pages++)
        return page
      },
    },
  }))
}

describe('catching up', () => {
  it.each([
    ['is still in memory', 3],
    ['is in memory no more', 1],
  ])('A70: misses nothing that happens while the last page is read, and %s', async (_, mostFrames) => {
    let happens: (count: number) => Promise<void> = async () => {}
    const hub = await withPages((nth) => (nth === 0 ? happens(3) : Promise.resolve()), mostFrames)
    happens = hub.happens
    await hub.happens(10)
    // So that the log is followed already.
    await hub.open()
    const all = await hub.open({ after: START })
    const one = await hub.open({ after: START, filter: { id: 'd12' } })
    await hub.happens(1)
    expect(all.ids).toEqual(await hub.log())
    expect(one.ids).toEqual((await hub.log()).slice(12, 13))
  })

  it('A70: tells nothing twice to one who comes from a server that has read further than this one', async () => {
    const { promise: gate, resolve: letOn } = Promise.withResolvers<void>()
    const { open, happens, log, settle } = await eventHub({}, (ledger) => ({
      capabilities: ledger.capabilities,
      stats: () => ledger.stats(),
      audit: ledger.audit,
      async *events(options) {
        for await (const record of ledger.events(options)) {
          if (record.seq > 2) await gate
          yield record
        }
      },
    }))
    await open()
    await happens(5)
    const sinks = await Promise.all(['3', '5'].map((after) => open({ after })))
    letOn()
    await settle()
    await happens(1)
    expect(sinks.map(({ ids }) => ids)).toEqual([(await log()).slice(3), (await log()).slice(5)])
  })

  it('reads again when that fails, however often, and tells nothing twice', async () => {
    const { open, happens, world, settle, log } = await withPages(async (nth) => {
      if (nth > 0 && nth < 4) throw new Error('the server is gone')
    }, 1)
    await happens(2400)
    await open()
    const sink = await open({ after: START })
    expect(sink.ids).toHaveLength(1000)
    await world.advanceBy(100 + 200 + 400)
    await settle()
    expect([sink.ids, sink.state]).toEqual([await log(), 'begun'])
    // The first that failed was read ahead, and nobody had asked for it yet.
    expect(world.logged.filter(({ level }) => level === 'error')).toHaveLength(2)
  })

  it('is for a few at a time, one page each and one ahead, and comes to an end for those who leave', async () => {
    let reading = 0
    let most = 0
    const { open, happens, hub, world } = await withPages(async () => {
      most = Math.max(most, ++reading)
      await new Promise(setImmediate)
      reading--
    }, 1)
    await happens(3000)
    const sinks = await Promise.all(Array.from({ length: 20 }, (_, nth) => open({ after: String(nth + 1) })))
    for (const sink of sinks.slice(0, 5)) sink.leave()
    await happens(1)
    await happens(1)
    for (let turns = 0; turns < 200; turns++) await world.advanceBy(1)
    expect([most, hub.counters.clients]).toEqual([8, 15])
    expect(sinks.slice(5).map(({ ids }) => ids.length)).toEqual(
      Array.from({ length: 15 }, (_, nth) => 3002 - 6 - nth),
    )
  })

  it('reads a page once for all who are at the same place and are shown the same', async () => {
    let pages = 0
    const { open, happens, log } = await withPages(async () => {
      pages++
    }, 1)
    await happens(2400)
    await open()
    const sinks = await Promise.all(Array.from({ length: 8 }, () => open({ after: '1' })))
    const own = await open({
      after: '1',
      principal: { name: 'bob', tenants: new Set(['t2']), token_id: 'k' },
    })
    expect(new Set(sinks.map(({ ids }) => ids.join()))).toEqual(new Set([(await log()).slice(1).join()]))
    expect([pages, own.ids]).toEqual([4, []])
  })
})
