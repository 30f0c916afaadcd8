// What only the fake can do: say what the service would not take, and lose what it is told to lose.
import { describe, expect, it } from 'vitest'
import { OutcomeUnknown } from '../../src/errors/postgres-errors.ts'
import { rowBytes } from '../../src/store/azure-tables/row-size.ts'
import { type Columns, MOST_BYTES_IN_ROW, type RowWrite } from '../../src/store/azure-tables/service.ts'
import { virtualWorld } from '../../src/testing/virtual-world.ts'
import { FakeAccount } from './fake-account.ts'
import { type FakeOptions, type FakeRequest, FakeTableService } from './fake-table-service.ts'
import { insert, put, remove } from './subjects.ts'

async function opened(options: FakeOptions = {}): Promise<FakeTableService> {
  const account = new FakeAccount()
  account.createTable('Rows')
  return new FakeTableService(account, options)
}

describe('the fake table service', () => {
  it('refuses what the service would', async () => {
    const service = await opened()
    const columns = (count: number): Columns =>
      Object.fromEntries(Array.from({ length: count }, (_, n) => [`c${n}`, n]))
    const texts = (count: number, length: number): Columns =>
      Object.fromEntries(Array.from({ length: count }, (_, n) => [`c${n}`, 'é'.repeat(length)]))
    const rows = (count: number, make: (n: number) => RowWrite) =>
      Array.from({ length: count }, (_, n) => make(n))
    const refused = (writes: readonly RowWrite[], pk = 'p') =>
      expect(service.write('Rows', pk, writes)).rejects.toThrow('does not take')
    await refused([])
    await refused(rows(101, (n) => insert(`${n}`)))
    await refused([insert('a'), put('a')])
    for (const key of ['', 'a/b', 'a\\b', 'a?', '#', 'a\n', 'é', 'a'.repeat(513)]) {
      await refused([insert(key)])
      await refused([insert('a')], key)
      await expect(service.get('Rows', key, 'a')).rejects.toThrow('does not take')
    }
    await refused([insert('a', columns(253))])
    await refused([insert('a', { 'a-b': 1 })])
    await refused([insert('a', { s: 'a'.repeat(32 * 1024 + 1) })])
    await refused([insert('a', { s: '\ud800' })])
    await refused([insert('a', { n: Number.POSITIVE_INFINITY })])
    await refused([insert('a', texts(17, 32_000))])
    await refused(rows(5, (n) => insert(`${n}`, texts(16, 32_000))))
    expect(await service.query('Rows', {})).toEqual({ rows: [], next: null })
    const taken = [...rows(4, (n) => insert(`${n}`, texts(15, 32_000))), insert('many', columns(252))]
    expect(await service.write('Rows', 'p', taken)).toMatchObject({ ok: true })
    expect(rowBytes('p', 'a', texts(16, 32_000))).toBeLessThan(MOST_BYTES_IN_ROW)
  })

  it('refuses to compare what is of different types, or has no order', async () => {
    const service = await opened()
    await service.write('Rows', 'p', [insert('a', { n: 1, is: true })])
    for (const where of [
      { column: 'n', is: 'eq', value: '1' },
      { column: 'n', isOneOf: [1, true] },
      { column: 'is', is: 'ge', value: false },
    ] as const)
      await expect(service.query('Rows', { where: [where] })).rejects.toThrow('does not take')
  })

  it('gives short and empty pages where it is told how many rows to look at', async () => {
    const service = await opened({ scanned: 2 })
    await service.write(
      'Rows',
      'p',
      Array.from({ length: 7 }, (_, n) => insert(`${n}`, { n })),
    )
    const pages: string[] = []
    for (let next: string | null | undefined; next !== null; ) {
      const where = [{ column: 'n', isOneOf: [0, 6] }]
      const page = await service.query('Rows', { where, next })
      pages.push(page.rows.map(({ rk }) => rk).join())
      next = page.next
    }
    expect(pages).toEqual(['0', '', '', '6'])
  })

  it('tells of every request, before and after it is done', async () => {
    const told: string[] = []
    const tell =
      (when: string) =>
      ({ n, verb, rows, table, pk }: FakeRequest) =>
        void told.push(`${when} ${n} ${verb} ${rows} ${table} ${pk}`)
    const service = await opened({ before: tell('before'), after: tell('after') })
    await service.write('Rows', 'p', [insert('a'), insert('b')])
    await service.get('Rows', 'p', 'a')
    expect(told).toEqual([
      'before 1 write 2 Rows p',
      'after 1 write 2 Rows p',
      'before 2 get 0 Rows p',
      'after 2 get 0 Rows p',
    ])
    expect(service.requests).toBe(2)
  })

  it('fails before anything is done, or after', async () => {
    const failing = { before: false, after: false }
    const fail = (when: 'before' | 'after') => () => {
      if (failing[when]) throw new OutcomeUnknown('there', new Error('gone'))
    }
    const service = await opened({ before: fail('before'), after: fail('after') })
    failing.before = true
    await expect(service.write('Rows', 'p', [insert('a')])).rejects.toThrow(OutcomeUnknown)
    failing.before = false
    expect(await service.get('Rows', 'p', 'a')).toBeNull()
    failing.after = true
    await expect(service.write('Rows', 'p', [insert('a')])).rejects.toThrow(OutcomeUnknown)
    failing.after = false
    expect(await service.get('Rows', 'p', 'a')).not.toBeNull()
  })

  it('tries again where the connection is lost, and is unsure from then on', async () => {
    let lost: 'before' | 'after' | null = null
    const lose = (when: 'before' | 'after') => () => {
      if (lost !== when) return undefined
      lost = null
      return 'lost'
    }
    const service = await opened({ before: lose('before'), after: lose('after') })
    lost = 'before'
    expect(await service.write('Rows', 'p', [insert('a')])).toMatchObject({ ok: true })
    lost = 'after'
    expect(await service.write('Rows', 'p', [insert('b')])).toEqual({
      ok: false,
      at: 0,
      why: 'exists',
      unsure: true,
    })
    lost = 'after'
    expect(await service.write('Rows', 'p', [remove('b')])).toMatchObject({ why: 'missing', unsure: true })
    expect(await service.write('Rows', 'p', [insert('a')])).toMatchObject({ why: 'exists', unsure: false })
    expect(service.requests).toBe(7)
  })

  it('takes as long as it is told to', async () => {
    const world = virtualWorld()
    const service = await opened({ timers: world.timers, delayMs: () => 10 })
    let answered = false
    const asked = service.write('Rows', 'p', [insert('a')]).then(() => {
      answered = true
    })
    await world.advanceBy(19)
    expect(answered).toBe(false)
    await world.advanceBy(1)
    expect(answered).toBe(true)
    await asked
  })
})
