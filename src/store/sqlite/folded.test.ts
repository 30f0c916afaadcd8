import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import fc from 'fast-check'
import { afterEach, beforeEach, it } from 'vitest'
import { quickFolder } from '../../../test/fixtures/quick-folder.ts'
import { anyWrites, comesToTheSame, isShownTheSame } from '../../../test/tables/folded.ts'
import { realWorld } from '../../world/world.ts'
import { openSqliteTables } from './open-sqlite.ts'

let folder: string
let files = 0

beforeEach(() => {
  folder = quickFolder('waybill-folded-')
})

afterEach(() => {
  rmSync(folder, { recursive: true, force: true })
})

it('what is put from the tail where it is found is as if it had been written there', async () => {
  const open = () => openSqliteTables(join(folder, `${files++}.db`), realWorld)
  await fc.assert(
    fc.asyncProperty(anyWrites, async (writes) => {
      const [inPlace, tailed] = await Promise.all([open(), open()])
      try {
        await comesToTheSame({ inPlace, tailed }, writes)
      } finally {
        await Promise.all([inPlace.close(), tailed.close()])
      }
    }),
    { numRuns: 6 },
  )
})

it('views show what is in the tail as what is where it is found', async () => {
  await fc.assert(
    fc.asyncProperty(anyWrites, async (writes) => {
      const path = join(folder, `${files++}.db`)
      const tables = await openSqliteTables(path, realWorld)
      const db = new DatabaseSync(path, { readOnly: true })
      try {
        await isShownTheSame(tables, writes, async (view) => db.prepare(`SELECT * FROM ${view}`).all())
      } finally {
        db.close()
        await tables.close()
      }
    }),
    { numRuns: 3 },
  )
})
