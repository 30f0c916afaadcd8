// What the engine may rely on when it writes, of either service.
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { TableMissing } from '../../src/errors/azure-errors.ts'
import { LedgerClosed } from '../../src/errors/input-errors.ts'
import { type Columns, MOST_CHARS_IN_VALUE, type RowWrite } from '../../src/store/azure-tables/service.ts'
import { freshPrefix } from './azurite.ts'
import { insert, put, remove, SUBJECTS, TestTable, WRONG } from './subjects.ts'

describe.each(SUBJECTS)('writing to the table service: $name', (subject) => {
  let table: TestTable

  beforeEach(async () => {
    table = await TestTable.open(subject)
  })

  afterEach(() => subject.drop(table.prefix))

  it('keeps a row with all of its columns, and gives it another etag whenever it is written', async () => {
    const [first] = await table.written([insert('a', { text: 'x', n: 1, is: true })])
    expect(await table.service.get('Rows', 'p', 'a')).toEqual({
      pk: 'p',
      rk: 'a',
      etag: first,
      columns: { text: 'x', n: 1, is: true },
    })
    const [second] = await table.written([put('a', { other: 'y' }, first)])
    expect(await table.service.get('Rows', 'p', 'a')).toMatchObject({ etag: second, columns: { other: 'y' } })
    const [third] = await table.written([put('a', { other: 'y' })])
    expect(new Set([first, second, third]).size).toBe(3)
    expect(await table.written([remove('a', third)])).toEqual([''])
    expect(await table.service.get('Rows', 'p', 'a')).toBeNull()
    const [fourth] = await table.written([insert('a')])
    expect([first, second, third]).not.toContain(fourth)
  })

  it('refuses what is not as the writer thinks, one row alone', async () => {
    const [etag] = await table.written([insert('a', { n: 1 })])
    const refused = async (write: RowWrite) => table.service.write('Rows', 'p', [write])
    const no = { ok: false, at: 0, unsure: false }
    expect(await refused(insert('a'))).toEqual({ ...no, why: 'exists' })
    expect(await refused(put('a', {}, WRONG))).toEqual({ ...no, why: 'changed' })
    expect(await refused(remove('a', WRONG))).toEqual({ ...no, why: 'changed' })
    expect(await refused(put('b', {}, etag))).toEqual({ ...no, why: 'missing' })
    expect(await refused(remove('b', etag))).toEqual({ ...no, why: 'missing' })
    expect(await refused(remove('b'))).toEqual({ ...no, why: 'missing' })
    expect(await table.columnsOf('a')).toEqual({ n: 1 })
  })

  it('writes several rows at once or none of them, and says which was at fault', async () => {
    const [a, b, c] = await table.written([insert('a'), insert('b', { n: 1 }), put('c')])
    for (const [why, write] of [
      ['exists', insert('c')],
      ['changed', put('c', {}, WRONG)],
      ['changed', remove('c', WRONG)],
      ['missing', put('x', {}, c)],
      ['missing', remove('x', c)],
      ['missing', remove('x')],
    ] as const) {
      const writes = [put('a', { n: 2 }, a), remove('b', b), insert('d'), write, put('e')]
      expect(await table.service.write('Rows', 'p', writes)).toEqual({ ok: false, at: 3, why, unsure: false })
    }
    const { rows } = await table.service.query('Rows', { pk: 'p' })
    expect(rows.map(({ rk, etag, columns }) => [rk, etag, columns])).toEqual([
      ['a', a, {}],
      ['b', b, { n: 1 }],
      ['c', c, {}],
    ])
    const etags = await table.written([
      put('a', { n: 2 }, a),
      remove('b', b),
      insert('d'),
      remove('c'),
      put('e'),
    ])
    const after = await table.service.query('Rows', { pk: 'p' })
    expect(after.rows.map(({ rk }) => rk)).toEqual(['a', 'd', 'e'])
    expect(after.rows.map(({ etag }) => etag)).toEqual([etags[0], etags[2], etags[4]])
    expect([etags[1], etags[3]]).toEqual(['', ''])
  })

  it('takes a hundred rows at once', async () => {
    const name = (n: number) => String(n).padStart(3, '0')
    const etags = await table.written(Array.from({ length: 100 }, (_, n) => insert(name(n), { n })))
    expect(etags).toHaveLength(100)
    const { rows } = await table.service.query('Rows', { pk: 'p' })
    expect(rows.map(({ rk, columns, etag }) => [rk, columns.n, etag])).toEqual(
      etags.map((etag, n) => [name(n), n, etag]),
    )
    expect(
      await table.service.write('Rows', 'p', [...rows.map(({ rk }) => put(rk)).slice(0, 99), remove('x')]),
    ).toEqual({ ok: false, at: 99, why: 'missing', unsure: false })
  })

  it('gives back every value as it was', async () => {
    const texts = [
      '',
      ' ',
      "it's",
      '"\\',
      'a\nb\r\nc\t',
      '\u0001\u001f\u007f',
      '\u2028\u2029',
      '👩‍🚀é漢',
      '{"a":[1]}',
    ]
    const numbers = [
      0,
      1,
      -1,
      2 ** 31 - 1,
      -(2 ** 31),
      2 ** 31,
      5e9,
      1.7e12,
      2 ** 53,
      0.1,
      -2.5,
      1e21,
      1.5e300,
      5e-324,
    ]
    const odd = {
      date: '2020-01-01T00:00:00Z',
      guid: '00112233-4455-6677-8899-aabbccddeeff',
      no: false,
      yes: true,
    }
    const columns: Columns = {
      ...Object.fromEntries(texts.map((text, n) => [`text${n}`, text])),
      ...Object.fromEntries(numbers.map((number, n) => [`number${n}`, number])),
      ...odd,
    }
    await table.written([insert('alone', columns)])
    await table.written([put('a', columns), insert('b', columns)])
    for (const rk of ['alone', 'a', 'b']) expect(await table.columnsOf(rk)).toEqual(columns)
    const { rows } = await table.service.query('Rows', { pk: 'p' })
    for (const row of rows) expect(row.columns).toEqual(columns)
    await table.written([put('nought', { n: -0 })])
    expect(Object.is((await table.columnsOf('nought'))?.n, 0)).toBe(true)
  })

  it('keeps long texts and many columns', async () => {
    const long = `${'a"\n'.repeat(8000)}${'é漢'.repeat(4000)}`
    expect(long).toHaveLength(MOST_CHARS_IN_VALUE)
    const many = Object.fromEntries(
      Array.from({ length: 252 }, (_, n) => [`c${n}`, n % 2 === 0 ? n : String(n)]),
    )
    await table.written([insert('long', { long, other: long })])
    await table.written([insert('a', { long }), insert('b', { long }), put('many', many)])
    expect(await table.columnsOf('long')).toEqual({ long, other: long })
    expect(await table.columnsOf('b')).toEqual({ long })
    expect(await table.columnsOf('many')).toEqual(many)
  })

  it('is refused what nobody may ask for', async () => {
    const rows = (count: number) => Array.from({ length: count }, (_, n) => insert(String(n)))
    await expect(table.service.write('Rows', 'p', rows(101))).rejects.toThrow('101')
    await expect(table.service.write('Rows', 'p', [])).rejects.toThrow()
    await expect(table.service.write('Rows', 'p', [insert('a', { n: Number.NaN })])).rejects.toThrow()
    await expect(table.service.write('Rows', 'p', [insert('a'), put('a')])).rejects.toThrow()
    await expect(table.service.write('Rows', 'p', [insert('a/b')])).rejects.toThrow()
    await expect(
      table.service.write('Rows', 'p', [insert('a', { text: 'x'.repeat(32 * 1024 + 1) })]),
    ).rejects.toThrow()
    await expect(table.service.query('Rows', { limit: 1001 })).rejects.toThrow('1001')
    expect(await table.found({})).toEqual([])
  })

  it('shares its tables with whoever has the same table.prefix, and with nobody else', async () => {
    await table.written([insert('a')])
    const other = await subject.open(table.prefix)
    await other.createTables(['Rows', 'More'])
    expect(await other.get('Rows', 'p', 'a')).not.toBeNull()
    expect(await table.service.query('More', {})).toEqual({ rows: [], next: null })
    const stranger = await subject.open(freshPrefix())
    await expect(stranger.get('Rows', 'p', 'a')).rejects.toThrow(TableMissing)
  })

  it('does not take a table that is missing for a row that is', async () => {
    const none = [
      () => table.service.get('None', 'p', 'a'),
      () => table.service.query('None', { pk: 'p' }),
      ...[insert('a'), put('a'), put('a', {}, WRONG), remove('a'), remove('a', WRONG)].flatMap((write) => [
        () => table.service.write('None', 'p', [write]),
        () => table.service.write('None', 'p', [write, insert('b')]),
      ]),
    ]
    for (const ask of none)
      await expect(ask()).rejects.toMatchObject({
        code: 'DATABASE_MISSING',
        details: { table: `${table.prefix}None` },
      })
  })

  it('loses nothing when many write the same rows at once', async () => {
    await table.written([insert('a', { n: 0 }), insert('b', { n: 0 })])
    let refused = 0
    const add = async () => {
      for (;;) {
        const { rows } = await table.service.query('Rows', { pk: 'p' })
        const writes = rows.map(({ rk, etag, columns }) => put(rk, { n: (columns.n as number) + 1 }, etag))
        const answer = await table.service.write('Rows', 'p', writes)
        if (answer.ok) return
        expect(answer).toMatchObject({ why: 'changed', unsure: false })
        refused++
      }
    }
    await Promise.all(Array.from({ length: 8 }, add))
    expect(refused).toBeGreaterThan(0)
    expect([await table.columnsOf('a'), await table.columnsOf('b')]).toEqual([{ n: 8 }, { n: 8 }])
  })

  it('answers nobody when it was closed', async () => {
    const mine = await subject.open(table.prefix)
    await mine.close()
    await expect(mine.get('Rows', 'p', 'a')).rejects.toThrow(LedgerClosed)
    await expect(mine.write('Rows', 'p', [insert('a')])).rejects.toThrow(LedgerClosed)
  })
})
