import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  changedJob,
  chunkOf,
  document,
  entry,
  newJob,
  setOf,
  T0,
  wantedOf,
} from '../../../test/tables/sample-set.ts'
import { nameOfKey } from '../../core/aggregate.ts'
import { FileNotFound, NotALedger } from '../../errors/file-errors.ts'
import { LedgerClosed } from '../../errors/input-errors.ts'
import { UnknownFormat } from '../../errors/journal-errors.ts'
import { LedgerBusy, SqliteTooOld } from '../../errors/sqlite-errors.ts'
import type { Timers } from '../../world/timers.ts'
import { realWorld } from '../../world/world.ts'
import { Conflict } from '../tables/tables.ts'
import { Connection } from './connection.ts'
import { errorOf } from './errors.ts'
import { LOOK_ANYWAY_MS } from './news.ts'
import { openSqliteTables, type SqliteOptions } from './open-sqlite.ts'
import { openWriting } from './open-writing.ts'
import { refuseOldSqlite } from './prepare-database.ts'
import { SqliteTables } from './sqlite-tables.ts'

let folder: string
let path: string
let opened: SqliteTables[]

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'waybill-sqlite-'))
  path = join(folder, 'ledger.db')
  opened = []
})

afterEach(async () => {
  for (const tables of opened) await tables.close()
  await rm(folder, { recursive: true, force: true })
})

async function open(options?: SqliteOptions): Promise<SqliteTables> {
  const tables = await openSqliteTables(path, realWorld, options)
  opened.push(tables)
  return tables
}

const key = (id: string) => ({ kind: 'job', tenant_id: 't', id }) as const

describe('writing', () => {
  it('keeps what was written, and tells the head', async () => {
    const tables = await open()
    const chunk = chunkOf(entry('a'), entry('b', { path: [null, 'QUEUED', 'IN_PROGRESS'] }))
    const job = newJob('a', { holds: ['x'] })
    expect(await tables.write(setOf({ newJobs: [job, newJob('b')], chunk }))).toEqual({
      head: { seq: 3, at: T0, records: 3, removed: 0 },
      owes: false,
      turn: 1,
    })
    const { jobs } = await tables.load(wantedOf({ jobs: [key('a'), key('nobody')] }))
    const { tenant_id, job_id, version, holds, fixed, moving } = job
    expect(jobs).toEqual([{ tenant_id, job_id, version, holds, fixed, moving }])
    await tables.write(setOf({ at: T0 - 5 }))
    expect(await tables.head()).toEqual({ seq: 3, at: T0, records: 3, removed: 0 })
  })

  it('writes nothing when a version is another, whatever else is in it', async () => {
    const tables = await open()
    await tables.write(setOf({ newJobs: [newJob('a'), newJob('b')], records: [document('d', 0)] }))
    const before = await tables.load(wantedOf({ jobs: [key('a'), key('b')] }))
    const verify = (version: number, id = 'a') => [{ ...key(id), version }]
    const lost = [
      setOf({ jobs: [changedJob('a', 1), changedJob('b', 2)] }),
      setOf({ jobs: [changedJob('a', 1, { is_ended: true, state: 'SUCCEEDED' }), changedJob('b', 0)] }),
      setOf({ jobs: [changedJob('a', 1)], newJobs: [newJob('b')] }),
      setOf({ jobs: [changedJob('a', 1)], records: [document('d', 0)] }),
      setOf({ jobs: [changedJob('a', 1)], records: [document('d', 2)] }),
      setOf({ jobs: [changedJob('b', 1)], verify: verify(2) }),
      setOf({ jobs: [changedJob('b', 1)], verify: verify(0) }),
      setOf({ jobs: [changedJob('b', 1)], verify: verify(1, 'gone') }),
    ]
    for (const set of lost) await expect(tables.write(set)).rejects.toBeInstanceOf(Conflict)
    expect(await tables.load(wantedOf({ jobs: [key('a'), key('b')] }))).toEqual(before)
    await tables.write(setOf({ jobs: [changedJob('b', 1)], verify: [...verify(1), ...verify(0, 'gone')] }))
  })

  it('guards claims, limits and refusals', async () => {
    const tables = await open()
    const claim = { tenant_id: 't', key: 'k', owner: 'o' }
    const slot = { tenant_id: 't', key: 's', add: 2, most: 0, named: null, from: 0 }
    const refusal = { tenant_id: 't', kind: 'job', id: 'a', job_id: 'a', from: 0, count: 1 } as const
    await tables.write(
      setOf({ claims: [claim], slots: [slot], refusals: [refusal], chunk: chunkOf(entry('a')) }),
    )
    const named = [['w', 5]] as const
    for (const lost of [
      { claims: [claim] },
      { slots: [{ ...slot, most: 1 }] },
      { slots: [{ ...slot, most: null, named, from: 1 }] },
      { refusals: [refusal] },
      { refusals: [{ ...refusal, from: 2, count: 3 }] },
    ]) {
      await expect(tables.write(setOf(lost))).rejects.toBeInstanceOf(Conflict)
    }
    await tables.write(
      setOf({
        slots: [{ ...slot, add: -1, most: 2, named, from: 0 }],
        refusals: [{ ...refusal, from: 1, count: 2 }],
        chunk: chunkOf(entry('a')),
      }),
    )
    const wanted = wantedOf({ claims: [claim], slots: [slot], refusals: [refusal] })
    expect(await tables.load(wanted)).toMatchObject({
      claims: [claim],
      slots: [{ tenant_id: 't', key: 's', version: 1, counted: 1, named }],
      refusals: [{ tenant_id: 't', kind: 'job', id: 'a', count: 2 }],
    })
    expect(await tables.claims(null, 10)).toEqual([claim])
    expect(await tables.claims(claim, 10)).toEqual([])
    const about = { tenant_id: undefined, kind: undefined, id: undefined, doc_id: undefined }
    expect(await tables.chunksAbout({ ...about, job_id: 'a' })).toEqual([1, 2])
  })

  it('counts, and knows who holds a limit', async () => {
    const tables = await open()
    const count = { tenant_id: 't', kind: 'job', state: 'QUEUED', n: 2 } as const
    await tables.write(setOf({ newJobs: [newJob('a', { holds: ['k"1'] }), newJob('b')], counts: [count] }))
    await tables.write(
      setOf({
        counts: [
          { ...count, n: -1 },
          { ...count, state: 'DISPATCHING', n: 0 },
        ],
      }),
    )
    expect(await tables.counts()).toEqual([{ ...count, n: 1 }])
    const slot = { tenant_id: 't', key: 'k"1' }
    expect(await tables.holders([slot, { tenant_id: 't', key: 'k' }])).toEqual([{ ...slot, owner: 'a' }])
  })
})

describe('taking', () => {
  const ready = (job_id: string, group: string, rank: number, queue = 'q') => ({
    queue,
    tenant_id: 't',
    group,
    rank,
    job_id,
  })

  it('shows the heads of each group, fewer of each where there are many', async () => {
    const tables = await open()
    const adds = [
      ready('a', 'g1', 2),
      ready('b', 'g1', 1),
      ready('c', 'g2', 1.5),
      ready('d', 'g3', 1, 'other'),
    ]
    await tables.write(
      setOf({ newJobs: ['a', 'b', 'c', 'd'].map((id) => newJob(id)), ready: { adds, drops: [] } }),
    )
    const heads = async (perGroup: number, most?: number) =>
      (await tables.heads({ queues: ['q', 'q', 'none'], perGroup, most })).map(({ job_id }) => job_id)
    expect(await heads(5)).toEqual(['b', 'a', 'c'])
    expect(await heads(1)).toEqual(['b', 'c'])
    expect(await heads(5, 2)).toEqual(['b', 'c'])
    expect(await heads(5, 3)).toEqual(['b', 'a', 'c'])
    await tables.write(setOf({ ready: { adds: [], drops: [ready('c', 'g2', 1.5)] } }))
    expect(await heads(5)).toEqual(['b', 'a'])
  })

  it('keeps what was taken from others until it is written or given back', async () => {
    const tables = await open()
    const due = { due_at: T0, tenant_id: 't', job_id: 'a' }
    await tables.write(setOf({ newJobs: [newJob('a')], due: { adds: [due], drops: [] } }))
    expect(await tables.nextDue()).toBe(T0)
    const work = { what: 'due', now: T0, limit: 5 } as const
    const taken = await tables.take(work)
    expect(taken.jobs.map(({ job_id }) => job_id)).toEqual(['a'])
    const second = tables.take(work)
    const other = tables.write(setOf({ newJobs: [newJob('b')] }))
    // Reading goes on meanwhile.
    expect(await tables.nextDue()).toBe(T0)
    expect((await taken.load(wantedOf({ jobs: [key('a')] }))).jobs).toHaveLength(1)
    await taken.write(setOf({ jobs: [changedJob('a', 1)], due: { adds: [], drops: [due] } }))
    expect((await second).jobs).toEqual([])
    await other
    expect(await tables.nextDue()).toBeNull()
    expect((await tables.take({ ...work, now: T0 - 1 })).jobs).toEqual([])
  })

  it('finds what was written before it is durable, and then both are', async () => {
    const tables = await open()
    const work = { what: 'ready', queues: ['q'], perGroup: 100 } as const
    for (const [nth, count] of [1, 200].entries()) {
      const ids = Array.from({ length: count }, (_, each) => `j${nth}-${each}`)
      const taking = Promise.withResolvers<Awaited<ReturnType<typeof tables.take>>>()
      const adds = ids.map((id, each) => ready(id, `g${nth}`, each))
      const order: string[] = []
      const written = tables.write(
        setOf({ newJobs: ids.map((id) => newJob(id)), ready: { adds, drops: [] } }),
        () => {
          order.push('seen')
          taking.resolve(tables.take(work))
          return true
        },
      )
      await written.then(() => order.push('durable'))
      const taken = await taking.promise
      expect(order).toEqual(['seen', 'durable'])
      expect(taken.jobs).toHaveLength(Math.min(count, 100))
      await taken.write(setOf({ ready: { adds: [], drops: adds } }))
    }
  })

  it('ends a session with a conflict, and one that somebody forgot', async () => {
    const tables = await open({ sessionMs: 50 })
    const due = { adds: [{ due_at: T0, tenant_id: 't', job_id: 'a' }], drops: [] }
    await tables.write(setOf({ newJobs: [newJob('a')], due }))
    const work = { what: 'due', now: T0, limit: 5 } as const
    const losing = await tables.take(work)
    await expect(losing.write(setOf({ jobs: [changedJob('a', 7)] }))).rejects.toBeInstanceOf(Conflict)
    await losing.release()
    const forgotten = await tables.take(work)
    const next = await tables.take(work)
    expect(next.jobs).toHaveLength(1)
    await expect(forgotten.write(setOf({}))).rejects.toBeInstanceOf(Conflict)
    await next.write(setOf({ jobs: [changedJob('a', 1)] }))
  })

  it('owes a signal to everybody who waits, once, and to nobody else', async () => {
    const tables = await open()
    const waits = (job_id: string, topic: string) => ({ tenant_id: 't', topic, job_id })
    const adds = [waits('a', 'x'), waits('a', 'y'), waits('b', 'y'), waits('c', 'z')]
    const newJobs = ['a', 'b', 'c'].map((id) => newJob(id))
    const signals = [
      { tenant_id: 't', topic: 'x' },
      { tenant_id: 't', topic: 'y' },
      { tenant_id: 't', topic: 'nobody' },
    ]
    // Who begins to wait in the same transaction is told as well.
    await tables.write(setOf({ newJobs, waits: { adds, drops: [] }, signals }))
    expect(await tables.nextDue()).toBe(0)
    expect(await tables.pendingSignals()).toBe(2)
    const taken = await tables.take({ what: 'signalled', limit: 10 })
    expect(taken.jobs.map(({ job_id }) => job_id).sort()).toEqual(['a', 'b'])
    expect(taken.delivered.get(nameOfKey(key('a')))).toHaveLength(1)
    await taken.write(setOf({ delivered: [...taken.delivered.values()].flat() }))
    expect(await tables.nextDue()).toBeNull()
  })
})

describe('several who have it open', () => {
  it('hear of what others wrote, and not of their own', async () => {
    const one = await open()
    const two = await open()
    let own = 0
    one.onNews(() => own++)
    const heard = Promise.withResolvers<void>()
    two.onNews(heard.resolve)
    await one.write(setOf({ newJobs: [newJob('a')] }))
    await heard.promise
    expect((await two.load(wantedOf({ jobs: [key('a')] }))).jobs).toHaveLength(1)
    await expect(two.write(setOf({ newJobs: [newJob('a')] }))).rejects.toBeInstanceOf(Conflict)
    expect(own).toBe(0)
  })

  // A look at the file while the thread was writing saw what came before that write, and the next look saw the write itself: by
  // then the thread had answered, and it was taken for somebody else's. Whoever takes work forgot what there was each time.
  it('do not take what their own thread wrote for news', async () => {
    let look = () => {}
    const { timers } = realWorld
    const byHand: Timers = {
      turn: () => timers.turn(),
      hold: () => timers.hold(),
      after: (ms, callback) => {
        if (ms !== LOOK_ANYWAY_MS) return timers.after(ms, () => {})
        look = callback
        return { cancel: () => {} }
      },
    }
    const db = await openWriting({ path, create: true, busyMs: 1000, cacheKb: 1024, now: T0 }, timers)
    const tables = new SqliteTables(db, { path, busyMs: 1000, sessionMs: 1000, timers: byHand })
    opened.push(tables)
    let news = 0
    tables.onNews(() => news++)
    const writeMany = (name: string) =>
      tables.write(setOf({ newJobs: Array.from({ length: 2000 }, (_, job) => newJob(`${name}-${job}`)) }))
    await writeMany('first')
    const writing = writeMany('second')
    look()
    await writing
    await timers.turn()
    await timers.turn()
    look()
    expect(news).toBe(0)
  })

  it('wait for each other, though not for ever', async () => {
    const one = await open()
    const two = await open({ busyMs: 30 })
    const due = { adds: [{ due_at: T0, tenant_id: 't', job_id: 'a' }], drops: [] }
    await one.write(setOf({ newJobs: [newJob('a')], due }))
    const taken = await one.take({ what: 'due', now: T0, limit: 1 })
    await expect(two.write(setOf({ newJobs: [newJob('b')] }))).rejects.toBeInstanceOf(LedgerBusy)
    await taken.release()
    await two.write(setOf({ newJobs: [newJob('b')] }))
  })

  it('may open it for the first time all at once', async () => {
    const all = await Promise.all([open(), open(), open()])
    await Promise.all(all.map((tables, index) => tables.write(setOf({ newJobs: [newJob(`j${index}`)] }))))
    expect((await all[0]?.head())?.seq).toBe(0)
  })
})

describe('opening and closing', () => {
  it('says what is wrong with the file', async () => {
    await expect(open({ create: false })).rejects.toBeInstanceOf(FileNotFound)
    await writeFile(path, '')
    await expect(open({ create: false })).rejects.toBeInstanceOf(NotALedger)
    await writeFile(path, 'no database at all, but long enough to be taken for one'.repeat(20))
    await expect(open()).rejects.toBeInstanceOf(NotALedger)
    await rm(path)
    const other = new Connection(path, { readOnly: false, busyMs: 0 })
    other.exec('CREATE TABLE theirs (a)')
    other.close()
    await expect(open()).rejects.toBeInstanceOf(NotALedger)
  })

  it('refuses a format it does not know, and a SQLite that is too old', async () => {
    await (await open()).close()
    const db = new Connection(path, { readOnly: false, busyMs: 0 })
    db.exec('PRAGMA user_version = 99')
    db.close()
    await expect(open()).rejects.toBeInstanceOf(UnknownFormat)
    for (const version of ['3.51.2', '3.50.9', '2.99.99']) expect(() => refuseOldSqlite(version)).toThrow()
    for (const version of ['3.51.3', '3.52.0', '4.0.0']) expect(() => refuseOldSqlite(version)).not.toThrow()
    expect(errorOf({ fault: 'too-old', message: '3.40.0' }, path)).toBeInstanceOf(SqliteTooOld)
  })

  it('is there again when it is opened again, and closing twice is harmless', async () => {
    const tables = await open()
    await tables.write(setOf({ newJobs: [newJob('a')], chunk: chunkOf(entry('a')) }))
    const writing = tables.write(setOf({ newJobs: [newJob('b')], chunk: chunkOf(entry('b')) }))
    await tables.close()
    await writing
    await tables.close()
    await expect(tables.head()).rejects.toBeInstanceOf(LedgerClosed)
    const again = await open({ create: false })
    expect((await again.head()).seq).toBe(2)
  })
})
