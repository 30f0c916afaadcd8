import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { IdMap } from './id-map.ts'

/** Alike in all that is looked at of a text, so that all of them belong in one place. */
const alike = (nth: number) => `${String(nth).padStart(6, '0')}-${'x'.repeat(40)}`

const key = fc.oneof(
  fc.nat(30).map((nth) => `id-${nth}`),
  fc.nat(80).map(alike),
)

const step = fc.oneof(
  fc.record({ set: key, value: fc.nat() }),
  fc.record({ add: key, value: fc.nat() }),
  fc.record({ addNew: key, value: fc.nat() }),
  fc.record({ delete: key }),
  fc.record({ get: key }),
)

describe('a map of ids', () => {
  it('is a map, whatever is put and removed', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 400, size: 'max' }), (steps) => {
        const map = new IdMap<number>()
        const model = new Map<string, number>()
        for (const one of steps) {
          if ('set' in one) {
            map.set(one.set, one.value)
            model.set(one.set, one.value)
          } else if ('add' in one) {
            expect(map.add(one.add, one.value)).toBe(!model.has(one.add))
            if (!model.has(one.add)) model.set(one.add, one.value)
          } else if ('addNew' in one) {
            if (model.has(one.addNew)) continue
            map.addNew(one.addNew, one.value)
            model.set(one.addNew, one.value)
          } else if ('delete' in one) {
            map.delete(one.delete)
            model.delete(one.delete)
          } else expect(map.get(one.get)).toBe(model.get(one.get))
          expect(map.size).toBe(model.size)
        }
        expect(new Map(map.entries())).toEqual(model)
        expect([...map.values()].sort()).toEqual([...model.values()].sort())
        const seen = new Map<string, number>()
        map.forEach((value, id) => void seen.set(id, value))
        expect(seen).toEqual(model)
        for (const [id, value] of model) expect(map.get(id)).toBe(value)
      }),
    )
  })

  it('keeps those that it had few of when there are many', () => {
    const map = new IdMap<number>()
    for (let nth = 0; nth < 5000; nth++) map.set(`id-${nth}`, nth)
    for (let nth = 0; nth < 5000; nth++) expect(map.get(`id-${nth}`)).toBe(nth)
    expect(map.get('id-5000')).toBeUndefined()
    for (let nth = 0; nth < 5000; nth++) map.delete(`id-${nth}`)
    expect([map.size, ...map.values()]).toEqual([0])
    map.set('again', 1)
    expect([...map.entries()]).toEqual([['again', 1]])
  })

  it('is the same when it is told how many there will be, and when some have gone before there are many', () => {
    for (const map of [new IdMap<number>(100), new IdMap<number>()]) {
      for (let nth = 0; nth < 8; nth++) map.set(`id-${nth}`, nth)
      map.delete('id-3')
      map.delete('id-5')
      for (let nth = 8; nth < 40; nth++) map.set(`id-${nth}`, nth)
      expect([map.size, map.get('id-3'), map.get('id-4'), map.get('id-39')]).toEqual([38, undefined, 4, 39])
    }
  })

  it('finds those that have the place of many others', () => {
    const map = new IdMap<number>()
    for (let nth = 0; nth < 1000; nth++) map.set(alike(nth), nth)
    for (let nth = 0; nth < 1000; nth++) expect(map.get(alike(nth))).toBe(nth)
    map.set(alike(900), -1)
    map.delete(alike(901))
    expect([map.get(alike(900)), map.get(alike(901)), map.size]).toEqual([-1, undefined, 999])
  })

  it('keeps those that find no place any more when it grows', () => {
    const map = new IdMap<number>()
    for (let nth = 0; nth < 32; nth++) map.set(alike(nth), nth)
    for (let nth = 0; nth < 2000; nth++) map.set(`id-${nth}`, nth)
    for (let nth = 0; nth < 32; nth++) expect(map.get(alike(nth))).toBe(nth)
    for (let nth = 0; nth < 2000; nth++) expect(map.get(`id-${nth}`)).toBe(nth)
    expect(map.size).toBe(2032)
  })

  it('is a map of very many, some of which find no place near their own, while it grows and while they go', () => {
    const name = (nth: number) => createHash('sha256').update(String(nth)).digest('hex')
    const names = Array.from({ length: 60_000 }, (_, nth) => name(nth))
    const map = new IdMap<number>()
    for (const [nth, id] of names.entries()) {
      expect(map.get(id)).toBeUndefined()
      expect(map.add(id, nth)).toBe(true)
    }
    for (const [nth, id] of names.entries()) if (map.get(id) !== nth || map.add(id, -1)) expect(id).toBeNull()
    for (const [nth, id] of names.entries()) if (nth % 3 === 0) map.delete(id)
    const left = names.entries().filter(([nth]) => nth % 3 !== 0)
    expect(new Map(map.entries())).toEqual(new Map(left.map(([nth, id]) => [id, nth])))
    for (const id of names) map.delete(id)
    expect([map.size, [...map.entries()]]).toEqual([0, []])
  })

  it('finds those that are left of many when it grows again', () => {
    const map = new IdMap<number>()
    for (let nth = 0; nth < 5000; nth++) map.set(`id-${nth}`, nth)
    for (let nth = 0; nth < 4900; nth++) map.delete(`id-${nth}`)
    // Places that were left are taken into account, until everything is put anew.
    for (let round = 0; round < 20_000; round++) {
      map.set(`new-${round}`, round)
      map.delete(`new-${round}`)
    }
    for (let nth = 4900; nth < 5000; nth++) expect(map.get(`id-${nth}`)).toBe(nth)
    expect(map.size).toBe(100)
  })

  it('meets those once that are far from their place, though it grows and others go meanwhile', () => {
    const inTurn = ['entries', 'values'] as const
    for (const how of inTurn) {
      const map = new IdMap<number>()
      for (let nth = 0; nth < 40; nth++) map.set(alike(nth), nth)
      const met: number[] = []
      for (const one of map[how]()) {
        met.push(typeof one === 'number' ? one : one[1])
        if (met.length !== 20) continue
        for (let nth = 0; nth < 1000; nth++) map.set(`id-${nth}`, 1000 + nth)
        for (let nth = 30; nth < 40; nth++) map.delete(alike(nth))
      }
      expect(met).toEqual(Array.from({ length: 30 }, (_, nth) => nth))
    }
  })

  it('meets all that stay, though others come and go meanwhile', () => {
    const map = new IdMap<number>()
    for (let nth = 0; nth < 100; nth++) map.set(`id-${nth}`, nth)
    const met: number[] = []
    for (const [id, nth] of map.entries()) {
      met.push(nth)
      if (nth % 2 === 0) map.delete(id)
      if (nth < 100) map.set(`new-${nth}`, 1000 + nth)
    }
    expect(met.filter((nth) => nth < 100)).toEqual(Array.from({ length: 100 }, (_, nth) => nth))
  })
})
