import { describe, expect, it } from 'vitest'
import type { AuditEntry, AuditRecord } from '../core/audit.ts'
import { LedgerClosed } from '../errors/input-errors.ts'
import { MemoryLog } from './memory/memory-log.ts'
import type { WatchOptions } from './store.ts'
import { Watchers } from './watchers.ts'

function setUp() {
  const log = new MemoryLog()
  const watchers = new Watchers(log)
  const append = (id: string, tenant_id = 't') => {
    log.append({ event: 'moved', id, tenant_id, path: ['a', 'b'], metadata: {} } as unknown as AuditEntry)
    watchers.wake()
  }
  const follow = (options: WatchOptions) => watchers.watch(options)[Symbol.asyncIterator]()
  return { watchers, append, follow }
}

async function ids(iterator: AsyncIterator<AuditRecord>, count: number): Promise<readonly string[]> {
  const seen: string[] = []
  while (seen.length < count) seen.push((await iterator.next()).value.id)
  return seen
}

describe('watchers', () => {
  it('begin where they were when they were made, not when they are first read', async () => {
    const { append, follow } = setUp()
    append('before')
    const iterator = follow({})
    append('after')
    expect(await ids(iterator, 1)).toEqual(['after'])
  })

  it('sleep until something happens, and pass over other tenants', async () => {
    const { append, follow } = setUp()
    const all = ids(follow({ after: '0' }), 3)
    const theirs = ids(follow({ after: '0', tenant_id: 'z' }), 1)
    append('1')
    append('2', 'z')
    append('3')
    expect([await all, await theirs]).toEqual([['1', '2', '3'], ['2']])
  })

  it('end when they are aborted or closed, asleep or not, and at once if it is too late to begin', async () => {
    const { watchers, append, follow } = setUp()
    append('1')
    const abort = new AbortController()
    const awake = follow({ after: '0', signal: abort.signal })
    await awake.next()
    const asleep = follow({ after: '1', signal: abort.signal })
    const end = asleep.next()
    abort.abort()
    expect([await end, await awake.next()]).toMatchObject([{ done: true }, { done: true }])
    expect(await follow({ after: '0', signal: abort.signal }).next()).toMatchObject({ done: true })
    const sleeping = follow({}).next()
    watchers.close()
    expect(await sleeping).toMatchObject({ done: true })
    expect(await follow({ after: '0' }).next()).toMatchObject({ done: true })
  })

  it('leave no listener behind on the signal that they were given', async () => {
    const { append, follow } = setUp()
    const { signal } = new AbortController()
    let listeners = 0
    const counted = new Proxy(signal, {
      get(target, name) {
        if (name === 'addEventListener') listeners++
        if (name === 'removeEventListener') listeners--
        const value: unknown = Reflect.get(target, name, target)
        return typeof value === 'function' ? value.bind(target) : value
      },
    })
    const iterator = follow({ signal: counted })
    for (const id of ['1', '2', '3']) {
      const next = iterator.next()
      append(id)
      await next
    }
    expect(listeners).toBe(0)
  })
})

// On a quick disk a ledger could be closed between the last record that a watch read and its look whether there are more. The watch
// then ended with an error, and not like all others.
it('a watch ends when the ledger is closed while it reads', async () => {
  let isClosed = false
  const watchers = new Watchers({
    get lastSeq() {
      if (isClosed) throw new LedgerClosed()
      return 1
    },
    placeOf: () => 0,
    async *after() {
      yield { seq: 1 } as AuditRecord
      isClosed = true
      watchers.close()
    },
  })
  const seen: number[] = []
  for await (const { seq } of watchers.watch({ after: 'start' })) seen.push(seq)
  expect(seen).toEqual([1])
})
