import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { LedgerOptions } from 'waybill'
import { freshSchema, say } from '../../test/postgres/server.ts'
import { NO_SNAPSHOTS } from '../journal/no-snapshots.ts'
import { benchServer } from './bench-server.ts'

export type EngineName = 'journal' | 'sqlite' | 'postgres'

/** Where an empty ledger can be opened, how, and how to be rid of it afterwards. */
export interface FreshPlace {
  readonly url: string
  readonly options: LedgerOptions
  remove(): Promise<void>
}

let places = 0

/** A place of its own for every ledger: what one left behind is not for the next. */
export async function freshPlace(engine: EngineName, folder: string): Promise<FreshPlace> {
  const path = join(folder, `ledger-${++places}`)
  switch (engine) {
    case 'journal':
      return {
        url: path,
        options: { journal: NO_SNAPSHOTS },
        remove: async () => rmSync(path, { recursive: true, force: true }),
      }
    case 'sqlite':
      return {
        url: `sqlite:${path}`,
        options: {},
        remove: async () => {
          for (const end of ['', '-wal', '-shm']) rmSync(path + end, { force: true })
        },
      }
    case 'postgres': {
      const { url } = await benchServer()
      const schema = freshSchema()
      return {
        url,
        options: { postgres: { schema } },
        remove: async () => void (await say(url, `DROP SCHEMA IF EXISTS "${schema}" CASCADE`)),
      }
    }
  }
}
