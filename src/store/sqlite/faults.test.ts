import { mkdtemp, open as openFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { findOf, newJob, setOf } from '../../../test/tables/sample-set.ts'
import { NotALedger } from '../../errors/file-errors.ts'
import { Unsupported } from '../../errors/input-errors.ts'
import { DiskFull, WriterFailed } from '../../errors/journal-errors.ts'
import { DatabaseDamaged, DatabaseReadOnly, LedgerBusy } from '../../errors/sqlite-errors.ts'
import { WaybillError } from '../../errors/waybill-error.ts'
import { systemTimers } from '../../world/timers.ts'
import { realWorld } from '../../world/world.ts'
import { Connection } from './connection.ts'
import { errorOf } from './errors.ts'
import { faultOf } from './fault.ts'
import { openSqliteTables } from './open-sqlite.ts'
import { prepareDatabase } from './prepare-database.ts'
import { Writer } from './writer.ts'

let folder: string
let path: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'waybill-sqlite-'))
  path = join(folder, 'ledger.db')
})

afterEach(() => rm(folder, { recursive: true, force: true }))

describe('what goes wrong', () => {
  it('has a name and a next step, whatever SQLite says', () => {
    const named = [
      [5, LedgerBusy],
      [261, LedgerBusy],
      [8, DatabaseReadOnly],
      [14, DatabaseReadOnly],
      [13, DiskFull],
      [1034, WriterFailed],
      [11, DatabaseDamaged],
      [26, NotALedger],
    ] as const
    for (const [errcode, type] of named) {
      const error = errorOf(faultOf(Object.assign(new Error('said'), { errcode })), path)
      expect(error).toBeInstanceOf(type)
      expect((error as WaybillError).next).not.toBe('')
    }
    expect(errorOf({ fault: 'no-wal', message: 'm' }, path)).toBeInstanceOf(Unsupported)
    expect(errorOf(faultOf(Object.assign(new Error('said'), { errcode: 1 })), path)).not.toBeInstanceOf(
      WaybillError,
    )
  })

  it('goes on by itself when there is room again', async () => {
    const db = new Connection(path, { readOnly: false, busyMs: 0 })
    prepareDatabase(db, { create: true, now: 0 })
    const writer = new Writer(db, systemTimers, { path, busyMs: 0, sessionMs: 1000 })
    await writer.write(setOf({ newJobs: [newJob('a')] }))
    db.exec('PRAGMA max_page_count = 1')
    const large = setOf({ newJobs: [newJob('b', { fixed: 'x'.repeat(1_000_000) }), newJob('c')] })
    await expect(writer.write(large)).rejects.toSatisfy((error) => faultOf(error).fault === 'full')
    db.exec('PRAGMA max_page_count = 1000000')
    await writer.write(large)
    expect(db.get('SELECT count(*) AS n FROM job')).toEqual({ n: 3 })
    db.close()
  })

  it('says that a file is damaged, and that a folder is no file', async () => {
    await expect(openSqliteTables(folder, realWorld)).rejects.toBeInstanceOf(DatabaseReadOnly)
    const tables = await openSqliteTables(path, realWorld)
    await tables.write(setOf({ newJobs: Array.from({ length: 200 }, (_, index) => newJob(`j${index}`)) }))
    await tables.close()
    const file = await openFile(path, 'r+')
    const { size } = await file.stat()
    await file.write(Buffer.alloc(size - 4096 * 3, 0xaa), 0, undefined, 4096 * 3)
    await file.close()
    const damaged = openSqliteTables(path, realWorld).then(async (again) => {
      try {
        return await again.findJobs(findOf())
      } finally {
        await again.close()
      }
    })
    await expect(damaged).rejects.toBeInstanceOf(DatabaseDamaged)
  })
})
