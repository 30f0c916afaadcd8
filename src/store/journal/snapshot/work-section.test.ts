import { gunzipSync } from 'node:zlib'
import * as fc from 'fast-check'
import { beforeEach, describe, expect, it } from 'vitest'
import { LedgerDamaged } from '../../../errors/journal-errors.ts'
import { MemoryDisk } from '../../../testing/memory-disk.ts'
import { plainWork } from '../../live/sample-work.ts'
import {
  compareEntries,
  type SortedList,
  WORK_LISTS,
  type WorkEntries,
  type WorkListName,
} from '../../live/stored-work.ts'
import { sampleFacts } from './sample-records.ts'
import { Snapshot } from './snapshot.ts'
import { writeSnapshot } from './write-snapshot.ts'
import { NO_WORK } from './write-work.ts'

type Lists = { readonly [L in WorkListName]: readonly WorkEntries[L][] }

let disk: MemoryDisk

beforeEach(() => {
  disk = new MemoryDisk()
})

async function snapshotOf(lists: Partial<Lists>): Promise<Snapshot> {
  const work = { ...NO_WORK, ...lists }
  await writeSnapshot({ disk, path: '/s', base: null, facts: sampleFacts(), records: {}, work })
  return (await Snapshot.open(disk, '/s')) as Snapshot
}

async function bytes(): Promise<Uint8Array> {
  return (await (await disk.openToRead('/s'))?.read(0, 1e9)) as Uint8Array
}

/** What `zcat | jq` sees: nothing of ours is used to read it. */
async function zcat(): Promise<{
  readonly work: Lists
  readonly index: { readonly work: { at: number; bytes: number } }
}> {
  return JSON.parse(gunzipSync(await bytes()).toString('utf8'))
}

const number = fc.integer({ min: -3, max: 400 })
const name = fc.oneof(fc.nat(300).map(String), fc.constantFrom('', 'é', '"],[', '\n', ',\n', '\ud83d', '😀'))
const few = fc.constantFrom('a', 'b', 'é\n')
const limits = fc.array(fc.record({ key: few, max: fc.nat(9) }), { maxLength: 2 })

/** Sorted, each once, and mostly more than a block holds. */
function sorted<E extends readonly unknown[]>(entry: fc.Arbitrary<E>): fc.Arbitrary<E[]> {
  return fc.array(entry, { maxLength: 900, size: 'max' }).map((entries) => {
    entries.sort(compareEntries)
    return entries.filter((one, i) => i === 0 || compareEntries(entries[i - 1] as E, one) < 0)
  })
}

const ENTRIES = {
  due: fc.tuple(number, few, name),
  ready: fc.tuple(few, few, few, number, name, limits),
  waiting: fc.tuple(few, name, name),
  rows: fc.tuple(few, name, name),
  slots: fc.tuple(few, few, name),
}

function expectSame<E extends readonly unknown[]>(
  list: SortedList<E>,
  plain: readonly E[],
  others: readonly E[],
) {
  expect(list.length).toBe(plain.length)
  expect(Array.from(plain, (_, i) => list.at(i))).toEqual(plain)
  for (const x of [...others, ...plain.filter((_, i) => i % 50 === 0 || i % 256 <= 1)]) {
    for (const isBefore of [
      (entry: E) => compareEntries(entry, x) < 0,
      (entry: E) => compareEntries(entry, x) <= 0,
      (entry: E) => compareEntries(entry.slice(0, 1), x) < 0,
      (entry: E) => compareEntries(entry.slice(0, 2), x) <= 0,
    ]) {
      expect(list.countWhile(isBefore)).toBe(plain.filter(isBefore).length)
    }
  }
  expect([list.countWhile(() => true), list.countWhile(() => false)]).toEqual([plain.length, 0])
}

describe('the list of open work', () => {
  it('answers like plain arrays, and is one JSON object with the rest', async () => {
    const lists = fc.record({
      due: sorted(ENTRIES.due),
      ready: sorted(ENTRIES.ready),
      waiting: sorted(ENTRIES.waiting),
      rows: sorted(ENTRIES.rows),
      slots: sorted(ENTRIES.slots),
    })
    const others = fc.record({
      due: fc.array(ENTRIES.due, { maxLength: 9 }),
      ready: fc.array(ENTRIES.ready, { maxLength: 9 }),
      waiting: fc.array(ENTRIES.waiting, { maxLength: 9 }),
      rows: fc.array(ENTRIES.rows, { maxLength: 9 }),
      slots: fc.array(ENTRIES.slots, { maxLength: 9 }),
    })
    let largest = 0
    await fc.assert(
      fc.asyncProperty(lists, others, async (plain, strange) => {
        const { work } = await snapshotOf(plain)
        expectSame(work.due, plain.due, strange.due)
        expectSame(work.ready, plain.ready, strange.ready)
        expectSame(work.waiting, plain.waiting, strange.waiting)
        expectSame(work.rows, plain.rows, strange.rows)
        expectSame(work.slots, plain.slots, strange.slots)
        const { groups, limits } = plainWork(plain)
        expect([work.groups, work.limits]).toEqual([groups, limits])
        expect((await zcat()).work).toEqual(plain)
        largest = Math.max(largest, plain.due.length)
      }),
      { numRuns: 25, interruptAfterTimeLimit: 30_000 },
    )
    expect(largest).toBeGreaterThan(256)
  }, 60_000)

  it.each([0, 1, 255, 256, 257, 512, 513])('has all of %i entries', async (count) => {
    const due = Array.from({ length: count }, (_, i) => [i, 't', `${i}`] as const)
    const { work } = await snapshotOf({ due })
    expectSame(work.due, due, [])
    expect((await zcat()).work).toEqual({ ...NO_WORK, due })
  })

  it('can be longer than what is kept inflated, and be asked in any order', async () => {
    const due = Array.from({ length: 20_000 }, (_, i) => [i, 't', `${i}`] as const)
    const { work } = await snapshotOf({ due })
    for (let i = 0, at = 0; i < 500; i++, at = (at + 7919) % due.length) {
      expect(work.due.at(at)).toEqual(due[at])
      expect(work.due.countWhile(([time]) => time < at)).toBe(at)
    }
  })

  it('does not get its name when it is out of order', async () => {
    for (const list of WORK_LISTS) {
      const [a, b] = [
        [1, 't', 'a'],
        [1, 't', 'b'],
      ].map((entry) =>
        list === 'ready' ? ['q', 't', 'g', ...entry] : list === 'due' ? entry : entry.map(String),
      )
      await expect(snapshotOf({ [list]: [b, a] })).rejects.toThrow('is out of order')
      await snapshotOf({ [list]: [a, b] })
    }
  })

  it('is not believed with any byte of it changed', async () => {
    await snapshotOf({ due: [[1, 't', 'a']], rows: [['t', 'a', 'b']] })
    const good = await bytes()
    const { at, bytes: length } = (await zcat()).index.work
    expect(length).toBeGreaterThan(100)
    const file = await disk.open('/s')
    for (let i = at; i < at + length; i++) {
      await file.write(i, Uint8Array.of((good[i] as number) ^ (1 << (i % 8))))
      const opened = Snapshot.open(disk, '/s')
      await expect(opened).rejects.toThrow(LedgerDamaged)
      await expect(opened).rejects.toMatchObject({ place: { file: '/s', byte: at } })
      await file.write(i, good.subarray(i, i + 1))
    }
    expect((await Snapshot.open(disk, '/s'))?.work.rows.at(0)).toEqual(['t', 'a', 'b'])
  })
})
