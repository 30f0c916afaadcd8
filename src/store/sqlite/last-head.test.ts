import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { changedJob, chunkOf, entry, newJob, setOf, T0 } from '../../../test/tables/sample-set.ts'
import { realWorld } from '../../world/world.ts'
import { Conflict } from '../tables/tables.ts'
import { openSqliteTables } from './open-sqlite.ts'
import type { SqliteTables } from './sqlite-tables.ts'

let folder: string
let tables: SqliteTables
let other: SqliteTables

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'waybill-head-'))
  tables = await openSqliteTables(join(folder, 'ledger.db'), realWorld)
  other = await openSqliteTables(join(folder, 'ledger.db'), realWorld)
})

afterEach(async () => {
  await tables.close()
  await other.close()
  await rm(folder, { recursive: true, force: true })
})

const submit = async (some: SqliteTables, id: string) =>
  (await some.write(setOf({ newJobs: [newJob(id)], chunk: chunkOf(entry(id)) }))).head.seq

it('goes on where others left the log, and as if nothing were where a write was lost', async () => {
  expect(await submit(tables, 'a')).toBe(1)
  expect(await submit(tables, 'b')).toBe(2)
  expect(await submit(other, 'c')).toBe(3)
  expect(await submit(other, 'd')).toBe(4)
  expect(await submit(tables, 'e')).toBe(5)
  const late = setOf({ jobs: [changedJob('a', 7)], chunk: chunkOf(entry('a')) })
  await expect(tables.write(late)).rejects.toThrow(Conflict)
  expect(await submit(tables, 'f')).toBe(6)
})

it('is the same whoever of a process wrote, and after what is in the tail was folded', async () => {
  let seq = 0
  const many = Array.from({ length: 100 }, (_, nth) => `many-${nth}`)
  for (const round of ['x', 'y']) {
    // What is small is written at hand, and what is large in the thread.
    for (let nth = 0; nth < 70; nth++) expect(await submit(tables, `${round}-${nth}`)).toBe(++seq)
    const large = setOf({
      newJobs: many.map((id) => newJob(`${round}-${id}`)),
      chunk: chunkOf(...many.map((id) => entry(`${round}-${id}`))),
    })
    seq += many.length
    expect((await tables.write(large)).head).toEqual({ seq, at: T0, records: seq, removed: 0 })
    expect(await submit(tables, `${round}-last`)).toBe(++seq)
  }
})
