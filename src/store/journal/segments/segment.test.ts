import { gunzipSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  AUDIT,
  auditQuery,
  collect,
  Delta,
  entryOf,
  manyMoves,
  readAll,
  SMALL,
  sayings,
  seal,
} from '../../../../test/fixtures/segment-lines.ts'
import { DurationRollup } from '../../../core/durations.ts'
import { LedgerDamaged } from '../../../errors/journal-errors.ts'
import { MemoryDisk } from '../../../testing/memory-disk.ts'
import { matchesAudit, matchesDurations } from '../../query.ts'
import { Segment } from './segment.ts'

async function sealed(delta: Delta, shape = SMALL) {
  const disk = new MemoryDisk()
  const { path } = await seal(disk, delta, { shape })
  return { disk, path, segment: await Segment.open(disk, path) }
}

describe('a sealed segment', () => {
  it('is the delta as it was, as text, and JSON to the last line', async () => {
    await fc.assert(
      fc.asyncProperty(sayings, async (all) => {
        const delta = new Delta(all)
        const { disk, path } = await sealed(delta)
        const lines = gunzipSync(await readAll(disk, path))
          .toString()
          .split('\n')
        expect(lines.slice(0, delta.texts.length)).toEqual(delta.texts)
        expect(lines.pop()).toBe('')
        const names = lines.slice(delta.texts.length).map((line) => Object.keys(JSON.parse(line))[0])
        expect(names.slice(-3)).toEqual(['durations', 'index', 'trailer'])
        expect(new Set(names.slice(0, -3))).toEqual(new Set(['ids', 'page']))
      }),
      { numRuns: 30 },
    )
  })

  it('gives back its lines, from any place on', async () => {
    await fc.assert(
      fc.asyncProperty(sayings, fc.nat(50), async (all, after) => {
        const delta = new Delta(all, 7)
        const { segment } = await sealed(delta)
        const lines = delta.texts.map((text) => JSON.parse(text))
        expect(await collect(segment.lines())).toEqual(lines)
        expect(await collect(segment.lines(after))).toEqual(lines.filter(({ seq }) => seq > after))
      }),
      { numRuns: 30 },
    )
  })

  it('answers every query as if all of it had been read, from any place in both directions', async () => {
    await fc.assert(
      fc.asyncProperty(
        sayings,
        fc.array(auditQuery, { minLength: 5 }),
        fc.nat(80),
        async (all, queries, place) => {
          const delta = new Delta(all, 10)
          const { segment } = await sealed(delta)
          for (const query of [{}, ...queries]) {
            const wanted = delta.records.filter((record) => matchesAudit(record, query))
            expect(await collect(segment.records(query, place, 'asc'))).toEqual(
              wanted.filter(({ seq }) => seq > place),
            )
            expect(await collect(segment.records(query, place, 'desc'))).toEqual(
              wanted.filter(({ seq }) => seq < place).toReversed(),
            )
          }
        },
      ),
      { numRuns: 60 },
    )
  })

  it('adds up durations as if all of it had been read, whatever part of the time is asked for', async () => {
    await fc.assert(
      fc.asyncProperty(sayings, fc.array(auditQuery, { minLength: 3 }), async (all, queries) => {
        const delta = new Delta(all)
        const { segment } = await sealed(delta)
        for (const { tenant_id, kind, state, adapter, from, before } of [{}, ...queries]) {
          const query = { tenant_id, kind, state, adapter, from, before }
          const expected = new DurationRollup()
          for (const record of delta.records) if (matchesDurations(record, query)) expected.add(record)
          const rollup = new DurationRollup()
          await segment.addDurations(query, rollup)
          expect(rollup.toFields()).toEqual(expected.toFields())
        }
      }),
      { numRuns: 60 },
    )
  })

  it('reads no block to add up all durations, and only those at the edge for a part of the time', async () => {
    const { segment } = await sealed(new Delta(manyMoves(120)))
    await segment.addDurations({ kind: 'document', from: 0 }, new DurationRollup())
    expect(segment.blocksRead).toBe(0)
    const rollup = new DurationRollup()
    await segment.addDurations({ from: 1735787045_000 + 117_000 }, rollup)
    expect([segment.blocksRead, rollup.rows()[0]?.count]).toEqual([1, 3])
  })

  it('reads one block in twenty or fewer for an error that is rare', async () => {
    const rare = [333, 1700]
    const error = (i: number) => ({
      error_type: rare.includes(i) ? 'RareError' : i % 3 ? null : 'TimeoutError',
    })
    const { segment } = await sealed(new Delta(manyMoves(3000, error)))
    const found = await collect(segment.records({ error_type: 'RareError' }, 0, 'asc'))
    expect(found.map(({ doc_id }) => doc_id)).toEqual(['doc:333', 'doc:1700'])
    expect(segment.blocksRead).toBe(2)
  })

  it('reads hardly more blocks than it has to for the history of one record', async () => {
    const { segment } = await sealed(new Delta(manyMoves(3000, (i) => ({ doc_id: `doc:${i % 1000}` }))))
    const found = await collect(segment.records({ doc_id: 'doc:42' }, 0, 'asc'))
    expect(found.map(({ seq }) => seq)).toEqual([43, 1043, 2043])
    expect(segment.blocksRead).toBeLessThan(3 + 1000 * 0.05)
  })

  it('reads a block once for readers that come soon after each other', async () => {
    const { segment } = await sealed(new Delta(manyMoves(9)))
    for (let i = 0; i < 3; i++) await collect(segment.records({}, 0, 'asc'))
    expect(segment.blocksRead).toBe(3)
  })

  it('gives every reader records of its own', async () => {
    const { segment } = await sealed(new Delta([[entryOf({ metadata: { page: 3 } })]]))
    const [first] = await collect(segment.records({}, 0, 'asc'))
    Object.assign(first?.metadata ?? {}, { page: 4 })
    expect(await collect(segment.records({}, 0, 'asc'))).toMatchObject([{ metadata: { page: 3 } }])
  })

  it('says so when it is missing or called something else', async () => {
    const { disk, path, segment } = await sealed(new Delta(manyMoves(5)))
    const renamed = `${AUDIT}/000000000000002-000000000000006.jsonl.gz`
    await disk.rename(path, renamed)
    await expect(Segment.open(disk, path)).rejects.toThrow(LedgerDamaged)
    await expect(collect(segment.records({}, 0, 'asc'))).rejects.toThrow(/is missing/)
    await expect(Segment.open(disk, renamed)).rejects.toThrow(/it holds seq 1 to 5/)
    await expect(Segment.open(disk, `${AUDIT}/delta.jsonl`)).rejects.toThrow(/not named like a segment/)
  })

  it('says so when it was replaced by another one while it was known', async () => {
    const { disk, segment } = await sealed(new Delta(manyMoves(5)))
    await seal(disk, new Delta(manyMoves(5, () => ({ actor: 'mallory' }))))
    await expect(collect(segment.records({}, 0, 'asc'))).rejects.toThrow(/replaced by another/)
    await expect(segment.addDurations({}, new DurationRollup())).rejects.toThrow(/replaced by another/)
  })

  it('is still there when it could not be removed', async () => {
    const { disk, segment } = await sealed(new Delta(manyMoves(5)))
    disk.remove = () => Promise.reject(new Error('EPERM'))
    await expect(segment.retire()).rejects.toThrow('EPERM')
    expect(segment.isRetired).toBe(false)
    expect(await collect(segment.records({}, 0, 'asc'))).toHaveLength(5)
  })

  it('has nothing when it was retired, also for those who know it already', async () => {
    const { disk, path, segment } = await sealed(new Delta(manyMoves(5)))
    const reading = segment.records({}, 0, 'asc')
    await reading.next()
    const late = [segment.records({}, 0, 'asc'), (await Segment.open(disk, path)).records({}, 0, 'asc')]
    await segment.retire()
    expect(segment.isRetired).toBe(true)
    expect(await collect(reading)).toHaveLength(4)
    expect(await collect(late[0] as (typeof late)[0])).toEqual([])
    await expect(collect(late[1] as (typeof late)[0])).rejects.toThrow(/is missing/)
    expect(await collect(segment.records({}, 0, 'asc'))).toEqual([])
    const rollup = new DurationRollup()
    await segment.addDurations({}, rollup)
    expect([await disk.openToRead(path), rollup.size]).toEqual([null, 0])
  })
})
