// The table service twice: in this process, and asked through the net.
import { expect } from 'vitest'
import { connectTables } from '../../src/store/azure-tables/data-tables-service.ts'
import type { Columns, RowQuery, RowWrite, TableService } from '../../src/store/azure-tables/service.ts'
import { realWorld } from '../../src/world/world.ts'
import { dropTables, freshPrefix, testTables } from './azurite.ts'
import { FakeAccount } from './fake-account.ts'
import { FakeTableService } from './fake-table-service.ts'

export interface Subject {
  readonly name: string
  /** One that shares its tables with everybody who has the same prefix. */
  open(prefix: string): Promise<TableService>
  drop(prefix: string): Promise<void>
}

const ACCOUNT = new FakeAccount()

export const SUBJECTS: readonly Subject[] = [
  {
    name: 'the fake',
    open: async (tablePrefix) => new FakeTableService(ACCOUNT, { tablePrefix }),
    drop: async () => {},
  },
  {
    name: 'Azurite',
    open: async (prefix) => connectTables((await testTables()).address(prefix), realWorld),
    drop: dropTables,
  },
]

/** One table, and what is asked of it again and again. */
export class TestTable {
  readonly prefix: string
  readonly service: TableService

  private constructor(prefix: string, service: TableService) {
    this.prefix = prefix
    this.service = service
  }

  static async open(subject: Subject): Promise<TestTable> {
    const prefix = freshPrefix()
    const service = await subject.open(prefix)
    await service.createTables(['Rows'])
    return new TestTable(prefix, service)
  }

  /** The etags. */
  async written(writes: readonly RowWrite[], pk = 'p'): Promise<readonly string[]> {
    const answer = await this.service.write('Rows', pk, writes)
    expect(answer).toMatchObject({ ok: true })
    return answer.ok ? answer.etags : []
  }

  async found(query: RowQuery): Promise<readonly string[]> {
    return (await this.service.query('Rows', query)).rows.map(({ pk, rk }) => `${pk}/${rk}`)
  }

  async columnsOf(rk: string): Promise<Columns | null> {
    return (await this.service.get('Rows', 'p', rk))?.columns ?? null
  }
}

export const insert = (rk: string, columns: Columns = {}): RowWrite => ({ verb: 'insert', rk, columns })
export const put = (rk: string, columns: Columns = {}, etag?: string): RowWrite => ({
  verb: 'put',
  rk,
  columns,
  etag,
})
export const remove = (rk: string, etag?: string): RowWrite => ({ verb: 'delete', rk, etag })

/** An etag that no row has. */
export const WRONG = `W/"datetime'2001-01-01T00%3A00%3A00.0000000Z'"`
