// What the engine may rely on when it looks for rows, of either service.
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Row, RowQuery } from '../../src/store/azure-tables/service.ts'
import { insert, put, remove, SUBJECTS, TestTable } from './subjects.ts'

describe.each(SUBJECTS)('finding rows in the table service: $name', (subject) => {
  let table: TestTable

  beforeEach(async () => {
    table = await TestTable.open(subject)
  })

  afterEach(() => subject.drop(table.prefix))

  it('finds rows by any key that it takes', async () => {
    const keys = [
      "it's",
      "''",
      'a b',
      '100%',
      '%20',
      '%2F',
      'a+b',
      'a&b=c',
      '{x}',
      '(y)',
      'a;b:c',
      '"',
      '~!@$^*[]|<>,.`_-',
    ]
    for (const [n, key] of keys.entries()) {
      await table.written([insert(key, { n })], key)
      await table.written([insert(`${key}1`, { n }), put(`${key}2`), insert(`${key}3`)], key)
      const etags = await table.written([put(`${key}2`, { n }), remove(`${key}3`)], key)
      const row: Row | null = await table.service.get('Rows', key, `${key}2`)
      expect(row).toEqual({ pk: key, rk: `${key}2`, etag: etags[0], columns: { n } })
      const first = await table.service.query('Rows', { pk: key, limit: 1 })
      const rest = await table.service.query('Rows', { pk: key, next: first.next as string })
      expect([...first.rows, ...rest.rows].map(({ pk, rk }) => [pk, rk])).toEqual(
        ['', '1', '2'].map((end) => [key, `${key}${end}`]),
      )
      expect(await table.found({ pk: key, rkFrom: `${key}1`, rkBefore: `${key}2` })).toEqual([
        `${key}/${key}1`,
      ])
      await table.written([put(key, { n: -1 }, first.rows[0]?.etag)], key)
      await table.written([remove(key)], key)
      expect(await table.service.get('Rows', key, key)).toBeNull()
    }
  })

  it('has rows in order of their keys, capital letters first, and a page at a time', async () => {
    for (const pk of ['b', 'B', 'a', '10', '9'])
      await table.written([insert('z'), insert('Z'), insert('_')], pk)
    const all = ['10', '9', 'B', 'a', 'b'].flatMap((pk) => ['Z', '_', 'z'].map((rk) => `${pk}/${rk}`))
    expect(await table.found({})).toEqual(all)
    for (const limit of [1, 2, 4, 14, 15, 16]) {
      const got: string[] = []
      let next: string | null | undefined
      do {
        const page = await table.service.query('Rows', { limit, next: next ?? undefined })
        expect(page.rows.length).toBeLessThanOrEqual(limit)
        got.push(...page.rows.map(({ pk, rk }) => `${pk}/${rk}`))
        next = page.next
      } while (next !== null)
      expect(got).toEqual(all)
    }
  })

  it('finds by ranges of both keys', async () => {
    for (const pk of ['a', 'b', 'c'])
      await table.written(
        ['1', '2', '3'].map((rk) => insert(rk)),
        pk,
      )
    expect(await table.found({ pk: 'b' })).toEqual(['b/1', 'b/2', 'b/3'])
    expect(await table.found({ pkFrom: 'b' })).toEqual(['b/1', 'b/2', 'b/3', 'c/1', 'c/2', 'c/3'])
    expect(await table.found({ pkFrom: 'a', pkBefore: 'c', rkFrom: '2', rkBefore: '3' })).toEqual([
      'a/2',
      'b/2',
    ])
    expect(await table.found({ pk: 'c', rkFrom: '3' })).toEqual(['c/3'])
    expect(await table.found({ rkBefore: '2' })).toEqual(['a/1', 'b/1', 'c/1'])
    expect(await table.found({ pk: 'd' })).toEqual([])
    expect(await table.found({ pkFrom: 'c', pkBefore: 'b' })).toEqual([])
  })

  it('finds by what columns hold; a row without the column fits nothing', async () => {
    await table.written([
      insert('1', { n: 1, s: 'a', is: true }),
      insert('2', { n: 2.5, s: "b'c", is: false }),
      insert('3', { n: 5e9, s: '' }),
      insert('4', { n: -1e-7, s: 'ü😀' }),
      insert('5', { n: 1e21 }),
      insert('6', { s: 'a' }),
    ])
    const by = async (...where: NonNullable<RowQuery['where']>) =>
      (await table.found({ pk: 'p', where })).map((name) => name.slice(2)).join('')
    expect(await by({ column: 'n', is: 'eq', value: 1 })).toBe('1')
    expect(await by({ column: 'n', is: 'eq', value: 5e9 })).toBe('3')
    expect(await by({ column: 'n', is: 'eq', value: 1e21 })).toBe('5')
    expect(await by({ column: 'n', is: 'eq', value: -1e-7 })).toBe('4')
    expect(await by({ column: 'n', is: 'ne', value: 1 })).toBe('2345')
    expect(await by({ column: 'n', is: 'lt', value: 1 })).toBe('4')
    expect(await by({ column: 'n', is: 'le', value: 2.5 })).toBe('124')
    expect(await by({ column: 'n', is: 'gt', value: 2.5 })).toBe('35')
    expect(await by({ column: 'n', is: 'ge', value: 2 }, { column: 'n', is: 'lt', value: 1e20 })).toBe('23')
    expect(await by({ column: 's', is: 'eq', value: "b'c" })).toBe('2')
    expect(await by({ column: 's', is: 'eq', value: '' })).toBe('3')
    expect(await by({ column: 's', is: 'ge', value: 'b' })).toBe('24')
    expect(await by({ column: 's', is: 'ne', value: 'a' })).toBe('234')
    expect(await by({ column: 'is', is: 'eq', value: true })).toBe('1')
    expect(await by({ column: 'is', is: 'ne', value: true })).toBe('2')
    expect(await by({ column: 's', isOneOf: ['a', 'ü😀', 'x y+z&%'] })).toBe('146')
    expect(await by({ column: 'n', isOneOf: [1, 2.5] }, { column: 's', isOneOf: ['a', 'b'] })).toBe('1')
    expect(await by({ column: 'n', isOneOf: [] })).toBe('')
    expect(await by({ column: 'none', is: 'ne', value: 1 })).toBe('')
  })

  it('gives only the columns that were asked for, and always keys and etags', async () => {
    const etags = await table.written([insert('a', { n: 1, s: 'x' }), insert('b', { s: 'y' }), insert('c')])
    const { rows } = await table.service.query('Rows', { pk: 'p', select: ['n', 'none'] })
    expect(rows).toEqual([
      { pk: 'p', rk: 'a', etag: etags[0], columns: { n: 1 } },
      { pk: 'p', rk: 'b', etag: etags[1], columns: {} },
      { pk: 'p', rk: 'c', etag: etags[2], columns: {} },
    ])
    expect((await table.service.query('Rows', { pk: 'p', select: [] })).rows[0]).toMatchObject({
      rk: 'a',
      columns: {},
    })
  })

  it('compares fifteen times in one filter, and no more', async () => {
    await table.written([insert('a', { n: 3 })])
    const isOneOf = Array.from({ length: 14 }, (_, n) => n)
    expect(await table.found({ pk: 'p', where: [{ column: 'n', isOneOf }] })).toEqual(['p/a'])
    await expect(table.found({ pk: 'p', rkFrom: 'a', where: [{ column: 'n', isOneOf }] })).rejects.toThrow(
      'at most 15',
    )
  })

  it('has a thousand rows in a page', async () => {
    for (let n = 0; n < 11; n++)
      await table.written(Array.from({ length: 100 }, (_, m) => insert(String(n * 100 + m).padStart(4, '0'))))
    const first = await table.service.query('Rows', { pk: 'p' })
    expect(first.rows).toHaveLength(1000)
    const second = await table.service.query('Rows', { pk: 'p', next: first.next as string })
    expect(second.rows.map(({ rk }) => rk)).toEqual(Array.from({ length: 100 }, (_, n) => String(1000 + n)))
    expect(second.next).toBeNull()
  })
})
