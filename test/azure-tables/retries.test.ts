// The connection is cut just before a request reaches the service, or just after it was done there; the service is busy, fails or
// says nothing. What can be tried again is, and whoever cannot know what was done is told so.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { OutcomeUnknown, ServerUnavailable } from '../../src/errors/postgres-errors.ts'
import {
  connectTables,
  type DataTablesService,
  type ServiceOptions,
} from '../../src/store/azure-tables/data-tables-service.ts'
import type { RowWrite } from '../../src/store/azure-tables/service.ts'
import { dropTables, freshPrefix, testTables } from './azurite.ts'
import { type Fate, startProxy, type TablesProxy } from './proxy.ts'
import { type QuickWorld, quickWorld } from './quick-world.ts'
import { insert, put, remove } from './subjects.ts'

const TIMEOUT_MS = 15_000
const PATIENCE_MS = 60_000

let proxy: TablesProxy
let prefix: string
let world: QuickWorld
let service: DataTablesService

beforeAll(async () => {
  proxy = await startProxy(await testTables())
})

afterAll(() => proxy.stop())

const connect = (options: ServiceOptions = {}) => connectTables(proxy.address(prefix), world, options)

beforeEach(async () => {
  prefix = freshPrefix()
  world = quickWorld(TIMEOUT_MS)
  service = await connect()
  await service.createTables(['Rows'])
})

afterEach(async () => {
  proxy.isDown = false
  proxy.decide = () => 'pass'
  await dropTables(prefix)
})

/** What becomes of the next requests, in order; what comes after them passes. Answers how many have come. */
function fates(...next: readonly Fate[]): () => number {
  const before = proxy.count
  proxy.decide = (n) => next[n - before - 1] ?? 'pass'
  return () => proxy.count - before
}

const written = async (write: RowWrite): Promise<string> => {
  const answer = await service.write('Rows', 'p', [write])
  return answer.ok ? (answer.etags[0] as string) : expect.unreachable(answer.why)
}

interface Case {
  readonly what: string
  /** Makes what is to be written, with the etag of the row `old`. */
  readonly writes: (etag: string) => readonly RowWrite[]
  /** What a second try of it meets. */
  readonly meets: { readonly why: 'exists' | 'changed' | 'missing' } | 'nothing'
}

const CASES: readonly Case[] = [
  { what: 'an insert', writes: () => [insert('new')], meets: { why: 'exists' } },
  { what: 'a put with an etag', writes: (etag) => [put('old', {}, etag)], meets: { why: 'changed' } },
  { what: 'a put of whatever is there', writes: () => [put('old')], meets: 'nothing' },
  { what: 'a delete', writes: () => [remove('old')], meets: { why: 'missing' } },
  { what: 'a delete with an etag', writes: (etag) => [remove('old', etag)], meets: { why: 'missing' } },
  {
    what: 'several writes',
    writes: (etag) => [insert('new'), put('other'), remove('old', etag)],
    meets: { why: 'exists' },
  },
  { what: 'several puts', writes: (etag) => [put('old', {}, etag), put('b')], meets: { why: 'changed' } },
]

describe.each(CASES)('$what', ({ writes, meets }) => {
  it('is done once when the connection is cut before it gets there', async () => {
    const etag = await written(insert('old'))
    const count = fates('dropBefore', 'dropBefore')
    expect(await service.write('Rows', 'p', writes(etag))).toMatchObject({ ok: true })
    expect(count()).toBe(3)
    expect(world.pauses).toHaveLength(2)
  })

  it.each<Fate>(['dropAfter', 'dropWithin'])('meets itself when the answer is lost: %s', async (fate) => {
    const etag = await written(insert('old'))
    const count = fates(fate)
    const answer = await service.write('Rows', 'p', writes(etag))
    // An answer without a body is whole as soon as it has begun.
    const isAnswered = fate === 'dropWithin' && count() === 1
    if (meets === 'nothing' || isAnswered) expect(answer).toMatchObject({ ok: true })
    else expect(answer).toEqual({ ok: false, at: 0, unsure: true, ...meets })
  })

  it('is sure of what it meets when the service was only busy', async () => {
    const etag = await written(insert('old'))
    fates({ status: 503 }, { status: 429 })
    expect(await service.write('Rows', 'p', writes(etag))).toMatchObject({ ok: true })
    fates({ status: 503 }, { status: 429 })
    const again = await service.write('Rows', 'p', writes(etag))
    if (meets === 'nothing') expect(again).toMatchObject({ ok: true })
    else expect(again).toEqual({ ok: false, at: 0, unsure: false, ...meets })
  })

  it.each([408, 500, 502, 504])('is not sure of it when the service failed: %i', async (status) => {
    const etag = await written(insert('old'))
    await service.write('Rows', 'p', writes(etag))
    fates({ status })
    const again = await service.write('Rows', 'p', writes(etag))
    if (meets === 'nothing') expect(again).toMatchObject({ ok: true })
    else expect(again).toEqual({ ok: false, at: 0, unsure: true, ...meets })
  })
})

describe('reading', () => {
  it('is simply tried again, whatever was lost', async () => {
    const etag = await written(insert('a', { n: 1 }))
    const row = { pk: 'p', rk: 'a', etag, columns: { n: 1 } }
    const lost: Fate[] = ['dropBefore', 'dropAfter', 'dropWithin', { status: 503 }, { status: 500 }]
    const count = fates(...lost)
    expect(await service.get('Rows', 'p', 'a')).toEqual(row)
    expect(count()).toBe(lost.length + 1)
    fates(...lost)
    expect(await service.query('Rows', { pk: 'p' })).toEqual({ rows: [row], next: null })
  })
})

describe('waiting', () => {
  it('is longer each time, and never the same for two', async () => {
    fates(...Array<Fate>(6).fill('dropBefore'))
    await service.get('Rows', 'p', 'a')
    for (const [n, ms] of world.pauses.entries()) {
      expect(ms).toBeGreaterThanOrEqual(50 * 2 ** n)
      expect(ms).toBeLessThanOrEqual(100 * 2 ** n)
    }
    const first = [...world.pauses]
    fates(...Array<Fate>(6).fill('dropBefore'))
    await service.get('Rows', 'p', 'a')
    expect(world.pauses.slice(6)).not.toEqual(first)
  })

  it('lasts as long as the service asks for, in seconds or until a time', async () => {
    fates({ status: 503, headers: { 'Retry-After': '1' } }, { status: 429, headers: { 'Retry-After': '7' } })
    await service.get('Rows', 'p', 'a')
    expect(world.pauses).toEqual([1000, 7000])
    const until = new Date(world.clock.now() + 20_000).toUTCString()
    fates({ status: 503, headers: { 'Retry-After': until } })
    await service.write('Rows', 'p', [insert('a')])
    expect(world.pauses[2]).toBeGreaterThan(18_000)
    expect(world.pauses[2]).toBeLessThanOrEqual(20_000)
    fates({ status: 503, headers: { 'Retry-After': 'soon' } })
    await service.get('Rows', 'p', 'a')
    expect(world.pauses[3]).toBeLessThanOrEqual(100)
  })

  it('ends with the patience', async () => {
    proxy.decide = () => ({ status: 503 })
    const error = await service.get('Rows', 'p', 'a').catch((reason) => reason)
    expect(error).toBeInstanceOf(ServerUnavailable)
    expect(error.message).toContain(`${service.address} does not answer`)
    const waited = world.pauses.reduce((sum, ms) => sum + ms)
    expect(waited).toBeGreaterThan(PATIENCE_MS - 8000)
    expect(waited).toBeLessThanOrEqual(PATIENCE_MS)
  })

  it('is not begun when it would take longer than that', async () => {
    const hasty = await connect({ patienceMs: 500 })
    const count = fates({ status: 503, headers: { 'Retry-After': '1' } })
    await expect(hasty.get('Rows', 'p', 'a')).rejects.toThrow(ServerUnavailable)
    expect(count()).toBe(1)
    expect(world.pauses).toEqual([])
  })

  it('says that nothing was written where that is known', async () => {
    proxy.decide = () => ({ status: 503 })
    await expect(service.write('Rows', 'p', [insert('a')])).rejects.toThrow(ServerUnavailable)
    await expect(service.write('Rows', 'p', [insert('a'), insert('b')])).rejects.toThrow(ServerUnavailable)
    fates('dropAfter', ...Array<Fate>(100).fill({ status: 503 }))
    await expect(service.write('Rows', 'p', [insert('a')])).rejects.toThrow(OutcomeUnknown)
    proxy.isDown = true
    await expect(service.write('Rows', 'p', [insert('c'), insert('d')])).rejects.toThrow(OutcomeUnknown)
    await expect(service.createTables(['More'])).rejects.toThrow(ServerUnavailable)
  })

  it('is not sure of what was refused for another reason after an answer was lost', async () => {
    fates('dropAfter', { status: 403 })
    await expect(service.write('Rows', 'p', [insert('a')])).rejects.toThrow(OutcomeUnknown)
    expect(await service.get('Rows', 'p', 'a')).not.toBeNull()
  })
})

describe('a request that is not answered', () => {
  /** Nothing comes of the next one; answers when it has come. */
  const silence = (): Promise<void> => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const before = proxy.count
    proxy.decide = (n) => {
      if (n > before + 1) return 'pass'
      resolve()
      return new Promise(() => {})
    }
    return promise
  }

  it('is given up when its time is up, and made again', async () => {
    const came = silence()
    const row = service.get('Rows', 'p', 'a')
    await came
    world.timeOut()
    expect(await row).toBeNull()
  })

  it('may have been done if it was a write', async () => {
    await written(insert('a'))
    const came = silence()
    const answer = service.write('Rows', 'p', [insert('a')])
    await came
    world.timeOut()
    expect(await answer).toEqual({ ok: false, at: 0, why: 'exists', unsure: true })
    proxy.decide = async () => {
      world.timeOut()
      return new Promise(() => {})
    }
    const error = await service.write('Rows', 'p', [put('a'), put('b')]).catch((reason) => reason)
    expect(error).toBeInstanceOf(OutcomeUnknown)
    expect(error.cause.message).toBe('no answer within 15000 ms')
  })
})
