import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { changedJob, chunkOf, entry, newJob, setOf, T0, wantedOf } from '../../../test/tables/sample-set.ts'
import { realWorld } from '../../world/world.ts'
import { recordsOf } from '../tables/entry-codec.ts'
import { Conflict, type ReadyKey, type SlotWrite, type WriteSet } from '../tables/tables.ts'
import { Connection } from './connection.ts'
import { sqliteScript } from './migrations.ts'
import { openSqliteTables } from './open-sqlite.ts'
import type { SqliteTables } from './sqlite-tables.ts'

let folder: string
let path: string
let tables: SqliteTables
let other: SqliteTables
let db: Connection

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'waybill-left-'))
  path = join(folder, 'ledger.db')
  tables = await openSqliteTables(path, realWorld)
  other = await openSqliteTables(path, realWorld)
  db = new Connection(path, { readOnly: true, busyMs: 1000 })
})

afterEach(async () => {
  db.close()
  await tables.close()
  await other.close()
  await rm(folder, { recursive: true, force: true })
})

const ready = (job_id: string, rank = T0 + 0.1): ReadyKey => {
  return { queue: 'q', tenant_id: 't', group: '', rank, job_id }
}
const slot = (add: number, parts: Partial<SlotWrite> = {}): SlotWrite => {
  return { tenant_id: 't', key: 's', add, most: null, named: null, from: 0, ...parts }
}
const submit = (id: string, parts: Partial<WriteSet> = {}) =>
  setOf({
    newJobs: [newJob(id)],
    ready: { adds: [ready(id)], drops: [] },
    claims: [{ tenant_id: 't', key: `request:${id}`, owner: id }],
    slots: [slot(1)],
    chunk: chunkOf(entry(id)),
    ...parts,
  })

const rowsOf = (table: string) => db.get<{ n: number }>(`SELECT count(*) AS n FROM ${table}`)?.n
const inPlace = () => [rowsOf('ready'), rowsOf('slot'), rowsOf('new_claim')]
const select = { what: 'ready', queues: ['q'], perGroup: 100 } as const
const countedIn = async (some: SqliteTables) =>
  (await some.load(wantedOf({ slots: [slot(0)] }))).slots[0]?.counted

describe('what a small write leaves in the tail', () => {
  it('is found by everybody, though it is in no other table', async () => {
    await tables.write(submit('a'))
    await tables.write(submit('b'))
    expect(inPlace()).toEqual([0, 0, 0])
    for (const some of [tables, other]) {
      expect(await countedIn(some)).toBe(2)
      for (const owner of ['a', 'b']) {
        const claim = { tenant_id: 't', key: `request:${owner}`, owner }
        expect((await some.load(wantedOf({ claims: [claim] }))).claims).toEqual([claim])
        const late = submit('c', { claims: [{ ...claim, owner: 'c' }] })
        await expect(some.write(late)).rejects.toBeInstanceOf(Conflict)
      }
      expect((await some.claims(null, 10)).map(({ owner }) => owner)).toEqual(['a', 'b'])
    }
    expect((await other.heads(select)).map(({ job_id }) => job_id)).toEqual(['a', 'b'])
  })

  it('is taken by another process, and gone when it is', async () => {
    await tables.write(submit('a'))
    await tables.write(submit('b'))
    const taken = await other.take(select)
    expect(taken.jobs.map(({ job_id }) => job_id)).toEqual(['a', 'b'])
    await taken.release()
    expect(rowsOf('ready')).toBe(0)
    const again = await other.take(select)
    const drops = [ready('a'), ready('b')]
    await again.write(setOf({ jobs: [changedJob('a', 1), changedJob('b', 1)], ready: { adds: [], drops } }))
    expect(rowsOf('ready')).toBe(0)
    expect((await tables.take(select)).jobs).toEqual([])
  })

  it('is removed as if it were in its place', async () => {
    await tables.write(submit('a'))
    await other.write(submit('b'))
    await other.write(setOf({ jobs: [changedJob('a', 1)], ready: { adds: [], drops: [ready('a')] } }))
    expect((await tables.heads(select)).map(({ job_id }) => job_id)).toEqual(['b'])
  })

  it('counts under a limit, for whoever writes next', async () => {
    await tables.write(submit('a', { slots: [slot(1, { most: 0 })] }))
    await expect(other.write(submit('b', { slots: [slot(1, { most: 0 })] }))).rejects.toBeInstanceOf(Conflict)
    await other.write(submit('b', { slots: [slot(1, { most: 1 })] }))
    const named = [['w', null]] as const
    await expect(tables.write(setOf({ slots: [slot(1, { most: 1, named })] }))).rejects.toBeInstanceOf(
      Conflict,
    )
    await tables.write(setOf({ slots: [slot(1, { most: 2, named })], chunk: chunkOf(entry('a')) }))
    await tables.write(submit('c', { slots: [slot(-1)] }))
    expect(await other.load(wantedOf({ slots: [slot(0)] }))).toMatchObject({
      slots: [{ counted: 2, version: 1, named }],
    })
  })

  it('is put in its place with many others, and what they tell of becomes one part of the log', async () => {
    const ids = Array.from({ length: 150 }, (_, nth) => `job-${String(nth).padStart(3, '0')}`)
    for (const [nth, id] of ids.entries()) {
      await (nth % 3 === 0 ? other : tables).write(submit(id, { slots: [slot(1), slot(1, { key: id })] }))
    }
    expect(rowsOf('tail')).toBe(150 - 128)
    expect(rowsOf('log')).toBe(2)
    expect(inPlace()).toEqual([128, 129, 128])
    expect(await countedIn(other)).toBe(150)
    expect(await tables.claims(null, 1000)).toHaveLength(150)
    expect((await tables.heads({ ...select, perGroup: 1000 })).map(({ job_id }) => job_id)).toEqual(ids)
    const about = { tenant_id: 't', kind: undefined, id: undefined, job_id: 'job-100', doc_id: undefined }
    const found = await tables.chunksAbout(about)
    expect(found).toEqual([101])
    const times = { from: undefined, before: undefined }
    const chunks = await tables.chunks({
      ids: found,
      tags: [],
      ...times,
      seq: 0,
      isDescending: false,
      limit: 9,
    })
    const told = chunks.flatMap(recordsOf).find(({ seq }) => seq === 101)
    expect(told).toMatchObject({ id: 'job-100' })
    expect(chunks).toHaveLength(1)
  })
})

it('brings a tail of the version before up to date', async () => {
  const old = join(folder, 'old.db')
  const before = new Connection(old, { readOnly: false, busyMs: 1000 })
  const script = sqliteScript(0)
  before.exec(`${script.slice(0, script.indexOf('-- 4:'))} PRAGMA user_version = 3; COMMIT;`)
  const chunk = chunkOf(entry('a'))
  before.run(
    `INSERT INTO tail (first_seq, places, first_at, last_at, at, records, nth, counts, tags, sketch, entries)
     VALUES (1, 1, ?1, ?1, ?1, 1, 1, '[["t","job","QUEUED",1]]', '["tt"]', '[]', ?2)`,
    T0,
    chunk.entries,
  )
  before.close()
  const opened = await openSqliteTables(old, realWorld)
  await opened.write(submit('b'))
  expect(await opened.head()).toEqual({ seq: 2, at: T0, records: 2, removed: 0 })
  expect(await opened.counts()).toEqual([{ tenant_id: 't', kind: 'job', state: 'QUEUED', n: 1 }])
  expect((await opened.heads(select)).map(({ job_id }) => job_id)).toEqual(['b'])
  await opened.close()
})
