// Over real connections, in real time: what a client gets that comes and goes as it likes while the ledger is written.
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it, onTestFinished } from 'vitest'
import { EventReader, eventServer } from '../../../test/fixtures/event-server.ts'
import { quickFolder } from '../../../test/fixtures/quick-folder.ts'
import { present } from '../../core/must.ts'
import { type LedgerOptions, openLedger } from '../../open-ledger.ts'
import type { LiveLedger } from '../../runtime/live-ledger.ts'
import { START } from '../../store/store.ts'
import { BATCH_BYTES } from './frame-ring.ts'

const ENGINES = ['memory', 'journal', 'sqlite'] as const

async function opened(engine: (typeof ENGINES)[number], options: LedgerOptions = {}): Promise<LiveLedger> {
  const folder = engine === 'memory' ? null : quickFolder('waybill-events-')
  const place = folder === null ? 'memory:' : join(folder, 'ledger')
  const ledger = await openLedger(engine === 'sqlite' ? `sqlite:${place}` : place, options)
  onTestFinished(async () => {
    await ledger.close()
    if (folder !== null) rmSync(folder, { recursive: true, force: true })
  })
  return ledger
}

let documents = 0

async function happens(ledger: LiveLedger, count: number, tenant_id = 't1', reason = ''): Promise<void> {
  const one = () => ledger.documents.updateState(`d${documents++}`, 'fetching', { tenant_id, reason })
  await Promise.all(Array.from({ length: count }, one))
  // In memory nothing else would ever have a turn.
  await turn()
}

const turn = () => new Promise(setImmediate)

async function logOf(ledger: LiveLedger, tenant_id?: string): Promise<string[]> {
  return (await Array.fromAsync(ledger.audit.records({ tenant_id }))).map(({ cursor }) => cursor)
}

function reaches(cursor: string | undefined) {
  return (reader: EventReader) => reader.lastEventId === cursor
}

describe.each(ENGINES)('event streams on the %s engine', (engine) => {
  it('A70: go on from every place of the history, while it is written', async () => {
    const ledger = await opened(engine)
    const { port } = await eventServer(ledger, { mostFrames: 12, readers: 2 })
    await happens(ledger, 30)
    const before = await logOf(ledger)
    const opening = [START, ...before].map((lastEventId) => EventReader.open(port, { lastEventId }))
    // Something happens before each of them has begun, and after.
    for (const one of opening) {
      await happens(ledger, 3)
      await one
      await happens(ledger, 3)
    }
    const readers = await Promise.all(opening)
    const whole = await logOf(ledger)
    for (const [nth, reader] of readers.entries()) {
      await reader.until(reaches(whole.at(-1)))
      expect(reader.ids).toEqual(whole.slice(nth))
      reader.close()
    }
  })

  it('A70: tell each exactly once what it asks for, however often it is cut off', async () => {
    const ledger = await opened(engine)
    const servers = await Promise.all(
      [1, 7, 1000].map((mostFrames) => eventServer(ledger, { mostFrames, readers: 1 })),
    )
    const cuts = fc.array(fc.nat(25), { maxLength: 8 })
    const bursts = fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 10 })
    const who = fc.constantFrom('t1', 't2', undefined)
    await fc.assert(
      fc.asyncProperty(fc.nat(2), cuts, bursts, who, async (first, all, counts, tenants) => {
        const from = (await logOf(ledger)).at(-1) ?? START
        const writing = (async () => {
          for (const [nth, count] of counts.entries())
            await happens(ledger, count, nth % 3 === 0 ? 't2' : 't1')
        })()
        const told: (string | undefined)[] = []
        let lastEventId: string | undefined = from
        for (const [nth, cut] of [...all, null].entries()) {
          // It comes back to another server, which may not have read as far yet.
          const { port } = present(servers[(first + nth) % 3], 'one of them')
          const reader = await EventReader.open(port, {
            lastEventId,
            ...(tenants === undefined ? null : { tenants }),
          })
          if (cut === null) await writing
          const end = cut === null ? (await logOf(ledger, tenants)).at(-1) : undefined
          const hasEnd = () =>
            end === undefined || Number(end) <= Number(from) || told.concat(reader.ids).includes(end)
          await reader.until(({ blocks }) => (cut === null ? hasEnd() : blocks.length > 0))
          for (let turns = cut ?? 3; turns > 0; turns--) await turn()
          reader.close()
          told.push(...reader.ids)
          lastEventId = reader.lastEventId
        }
        const expected = (await logOf(ledger, tenants)).filter((cursor) => Number(cursor) > Number(from))
        expect(told).toEqual(expected)
      }),
      { numRuns: engine === 'memory' ? 60 : 20 },
    )
  })
})

describe('event streams', () => {
  it('are what browsers take for one, and nothing that stands between keeps them', async () => {
    const { port } = await eventServer(await opened('memory'))
    const { response } = await EventReader.open(port)
    expect([response.statusCode, response.headers]).toMatchObject([
      200,
      {
        'content-type': 'text/event-stream; charset=utf-8',
        'cache-control': 'no-store, no-transform',
        'x-accel-buffering': 'no',
      },
    ])
    response.destroy()
  })

  it('answer what is wrong with a status of its own, before they begin', async () => {
    const { port, hub } = await eventServer(await opened('memory'), { mostPerPrincipal: 1 })
    const statuses = async (query: string, lastEventId?: string) =>
      (await EventReader.open(port, { query, lastEventId })).response.statusCode
    expect(await statuses('kind=nothing')).toBe(422)
    expect(await statuses('after=x')).toBe(400)
    expect(await statuses('after=0', '7')).toBe(400)
    const reader = await EventReader.open(port)
    expect(await statuses('')).toBe(429)
    reader.close()
    expect(hub.counters.clients).toBeLessThanOrEqual(1)
  })

  it('show nobody what belongs to other tenants', async () => {
    const ledger = await opened('memory')
    const { port } = await eventServer(ledger, { mostFrames: 2 })
    await happens(ledger, 5, 't1')
    await happens(ledger, 5, 't2')
    const own = await EventReader.open(port, { tenants: 't2', lastEventId: START })
    const other = await EventReader.open(port, { tenants: 't2', query: 'tenant_id=t1', lastEventId: START })
    await happens(ledger, 5, 't1')
    await happens(ledger, 1, 't2')
    const mine = await logOf(ledger, 't2')
    await own.until(reaches(mine.at(-1)))
    expect([own.ids, other.ids]).toEqual([mine, []])
    expect(new Set(own.records.map(({ tenant_id }) => tenant_id))).toEqual(new Set(['t2']))
  })

  it('of those who never read are dropped, and cost little until then', async () => {
    const ledger = await opened('memory')
    const { port, hub, sockets } = await eventServer(ledger, { drainMs: 300, mostBytes: 1_000_000 })
    const stuck = connect(port, '127.0.0.1')
    onTestFinished(() => void stuck.destroy())
    stuck.pause().write('GET /v1/events HTTP/1.1\r\nhost: x\r\n\r\n')
    const reader = await EventReader.open(port, { lastEventId: START })
    const served = [...sockets][0] as Socket
    const dropped = once(served, 'close')
    let most = 0
    // More than the system takes on behalf of somebody who does not read.
    for (let n = 0; n < 250; n++) {
      await happens(ledger, 10, 't1', 'x'.repeat(8000))
      most = Math.max(most, served.writableLength)
      await turn()
    }
    await dropped
    expect(most).toBeLessThan(3 * BATCH_BYTES)
    expect(hub.counters.clients_dropped).toBe(1)
    const whole = await logOf(ledger)
    await reader.until(reaches(whole.at(-1)))
    expect(reader.ids).toEqual(whole)
  })

  it('end with a whole frame when the server stops', async () => {
    const ledger = await opened('memory')
    const { port, hub } = await eventServer(ledger)
    await happens(ledger, 3000)
    const readers = await Promise.all(
      [START, '1500', undefined].map((lastEventId) => EventReader.open(port, { lastEventId })),
    )
    const writing = happens(ledger, 500)
    await hub.stop()
    await Promise.all([...readers.map(({ ended }) => ended), writing])
    for (const { rest, response, ids } of readers) {
      expect([rest, response.complete]).toEqual(['', true])
      expect(ids).toEqual(ids.toSorted((a, b) => Number(a) - Number(b)))
    }
  })

  it('of somebody who is put out end at once', async () => {
    const { port, hub } = await eventServer(await opened('memory'))
    const reader = await EventReader.open(port)
    hub.dropWhere(({ name }) => name === 'ann')
    await reader.ended
    expect([hub.counters.clients, reader.response.complete]).toEqual([0, false])
  })
})

describe('history that is past its time', () => {
  const engines: readonly [(typeof ENGINES)[number], LedgerOptions][] = [
    ['journal', { journal: { keepHistoryMs: 0, keepSnapshots: 1 } }],
    ['sqlite', { sqlite: { keepHistoryMs: 0 } }],
  ]

  it.each(engines)('is said to be missing, once, on the %s engine', async (engine, options) => {
    const ledger = await opened(engine, options)
    const { port } = await eventServer(ledger, { mostFrames: 1 })
    await happens(ledger, 5)
    const old = await logOf(ledger)
    // Each snapshot lets go of what the one before it needed.
    for (let n = 0; n < 3; n++) {
      await ledger.compact()
      await happens(ledger, 1)
    }
    const left = await ledger.audit.query()
    const [oldest] = left.items
    expect(Number(oldest?.seq)).toBeGreaterThan(3)
    const gap = { after: old[1], oldest: oldest?.cursor, oldest_timestamp: oldest?.timestamp }
    const reader = await EventReader.open(port, { lastEventId: old[1] })
    const fromStart = await EventReader.open(port, { query: 'after=0&id=nothing' })
    const fine = await EventReader.open(port, { lastEventId: oldest?.cursor })
    await happens(ledger, 1)
    const whole = await logOf(ledger)
    await Promise.all([reader, fine].map((one) => one.until(reaches(whole.at(-1)))))
    const gapsOf = ({ blocks }: EventReader) =>
      blocks.flatMap(({ event, data }) => (event === 'gap' ? [JSON.parse(data as string)] : []))
    expect([gapsOf(reader), reader.ids]).toEqual([[gap], whole])
    expect(reader.blocks[1]?.id).toBeUndefined()
    await fromStart.until(({ blocks }) => blocks.length > 1)
    expect([gapsOf(fromStart), gapsOf(fine)]).toEqual([[{ ...gap, after: START }], []])
  })
})
