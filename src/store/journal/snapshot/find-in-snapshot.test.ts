import * as fc from 'fast-check'
import { beforeEach, describe, expect, it } from 'vitest'
import { idOf, type LedgerRecord } from '../../../core/aggregate.ts'
import type { RecordKind } from '../../../core/machines/all.ts'
import { toIso } from '../../../core/time.ts'
import { MemoryDisk } from '../../../testing/memory-disk.ts'
import type { FindOrder } from '../../capabilities.ts'
import { findPlaced } from '../../live/find-records.ts'
import type { Place } from '../../place.ts'
import { changedAt, type FindQuery } from '../../query.ts'
import {
  GivenRecords,
  sampleDocument,
  sampleFacts,
  sampleJob,
  sampleOutbox,
  sampleStep,
  sampleWorkstream,
} from './sample-records.ts'
import { Snapshot } from './snapshot.ts'
import { writeSnapshot } from './write-snapshot.ts'

let disk: MemoryDisk

beforeEach(() => {
  disk = new MemoryDisk()
})

async function snapshotOf(records: readonly LedgerRecord[]): Promise<Snapshot> {
  const given = new GivenRecords().put(...records)
  const facts = sampleFacts({ document_count: given.tables.states.length })
  await writeSnapshot({ disk, path: '/s', base: null, facts, records: given.tables })
  return (await Snapshot.open(disk, '/s')) as Snapshot
}

function placeOf(record: LedgerRecord, order: FindOrder): Place {
  return { at: order === 'changed' ? changedAt(record) : 0, tenant_id: record.tenant_id, id: idOf(record) }
}

const few = fc.constantFrom('a', 'b', 'c"d', 'é')
const pad = fc.constantFrom('', '', 'x'.repeat(25_000))

/** Few values, so that queries match; some records so long that there are several blocks. */
const record = fc
  .record({
    kind: fc.constantFrom('document', 'job', 'step', 'outbox', 'workstream'),
    tenant_id: fc.constantFrom('default', 'acme'),
    n: fc.nat(60),
    at: fc.nat(10),
    one: few,
    two: few,
    pad,
  })
  .map(({ kind, tenant_id, n, at, one, two, pad: text }): LedgerRecord => {
    const updated_at = toIso(1_735_787_045_000 + at)
    const made: { readonly [kind: string]: () => LedgerRecord } = {
      document: () =>
        sampleDocument({
          tenant_id,
          doc_id: `${n}`,
          updated_at: 1_735_787_045 + at / 1000,
          adapter: one,
          metadata: { text, two },
        }),
      job: () =>
        sampleJob({ tenant_id, job_id: `${n}`, updated_at, run_id: one, doc_id: two, payload: text }),
      step: () =>
        sampleStep({
          tenant_id,
          job_id: `${n % 7}`,
          step_id: `${n}`,
          updated_at,
          queue: one,
          service: two,
          output: text,
        }),
      outbox: () =>
        sampleOutbox({ tenant_id, outbox_id: `${n}`, updated_at, job_id: one, payload: { text } }),
      workstream: () =>
        sampleWorkstream({ tenant_id, workstream_id: `${n}`, updated_at, run_id: one, metadata: { text } }),
    }
    return (made[kind] as () => LedgerRecord)()
  })

const value = fc.oneof(few, fc.nat(60).map(String))
const FIELDS = ['adapter', 'run_id', 'doc_id', 'job_id', 'queue', 'workstream_id', 'step_id'] as const

/** Few fields: more, and nothing would be left. */
const where = fc
  .dictionary(fc.constantFrom(...FIELDS), fc.oneof(value, fc.array(value, { maxLength: 6 })), { maxKeys: 1 })
  .chain((fields) =>
    fc
      .option(fc.constantFrom('completed', 'COMPLETED', ['SENT', 'SUCCEEDED', 'completed']), {
        nil: undefined,
      })
      .map((state) => ({ ...fields, state })),
  )

const time = fc.nat(10).map((n) => 1_735_787_045_000 + n)

/** Mostly absent: where everything is asked at once, nothing is found. */
const maybe = <V>(arbitrary: fc.Arbitrary<V>) =>
  fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary })

const query = fc.record({
  kind: fc.constantFrom<RecordKind>('document', 'job', 'step', 'outbox', 'workstream'),
  tenant_id: maybe(fc.constantFrom('default', 'acme', 'none')),
  where: fc.oneof(fc.constant(undefined), where),
  changedFrom: maybe(time),
  changedBefore: maybe(time),
  direction: fc.constantFrom('asc', 'desc', undefined),
})

describe('finding records', () => {
  it('finds what a search through all of them in memory finds, page by page', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(record, {
          selector: (one) => `${one.kind} ${one.tenant_id} ${idOf(one)}`,
          minLength: 40,
          maxLength: 120,
          size: 'max',
        }),
        fc.array(query, { minLength: 1, maxLength: 8 }),
        fc.constantFrom<FindOrder>('id', 'changed'),
        fc.integer({ min: 1, max: 12 }),
        fc.func(fc.nat(7)),
        async (records, queries, order, size, chance) => {
          const snapshot = await snapshotOf(records)
          const shadowed = (tenant_id: string, id: string) => chance(tenant_id, id) === 0
          for (const one of queries) {
            const there = records.filter(
              ({ kind, tenant_id, ...rest }) =>
                kind === one.kind &&
                (one.tenant_id === undefined || one.tenant_id === tenant_id) &&
                !shadowed(tenant_id, idOf({ kind, tenant_id, ...rest } as LedgerRecord)),
            )
            const placed = findPlaced(there, { ...one, limit: 1000 } as FindQuery, order)
            const expected = placed.map(({ record }) => record)
            const found: LedgerRecord[] = []
            for (let after: Place | null = null; ; ) {
              const page: LedgerRecord[] = await snapshot.find(one.kind, one, order, {
                after,
                size,
                shadowed,
              })
              found.push(...page)
              if (page.length < size) break
              after = placeOf(page.at(-1) as LedgerRecord, order)
            }
            expect(found).toEqual(expected)
          }
        },
      ),
      { numRuns: 100 },
    )
  }, 60_000)

  it('finds each by its id, wherever it is in its block', async () => {
    const records = Array.from({ length: 600 }, (_, i) =>
      sampleDocument({ doc_id: `${1000 + i}`, tenant_id: i < 300 ? 'acme' : 'default' }),
    )
    const snapshot = await snapshotOf(records)
    for (const one of records) {
      const found = await snapshot.find('document', { where: { doc_id: one.doc_id } }, 'id', part)
      expect(found).toEqual([one])
    }
  })

  const COUNT = 5000
  const part = { after: null, size: 10, shadowed: () => false }

  async function manyDocuments(): Promise<Snapshot> {
    return await snapshotOf(
      Array.from({ length: COUNT }, (_, i) =>
        sampleDocument({
          doc_id: `doc:${String(i).padStart(5, '0')}`,
          updated_at: 1000 + ((i * 7919) % COUNT),
          adapter: i === 4321 ? 'rare' : `adapter ${i % 40}`,
          state: i < COUNT / 2 ? 'completed' : 'failed',
        }),
      ),
    )
  }

  it('by id reads the blocks it needs and no others', async () => {
    const snapshot = await manyDocuments()
    const found = await snapshot.find('document', { direction: 'desc' }, 'id', part)
    expect(found.map(({ doc_id }) => doc_id)).toEqual(
      Array.from({ length: 10 }, (_, i) => `doc:0${4999 - i}`),
    )
    expect(snapshot.blocksRead).toBe(1)
    await snapshot.find('document', { where: { doc_id: 'doc:00777' } }, 'id', part)
    expect(snapshot.blocksRead).toBe(2)
    await snapshot.find('document', { where: { state: 'deferred' } }, 'id', part)
    await snapshot.find('document', { where: { queue: 'gpu' } }, 'id', part)
    await snapshot.find('document', { changedBefore: 1_000_000 }, 'id', part)
    await snapshot.find('document', { tenant_id: 'acme' }, 'id', part)
    expect(snapshot.blocksRead).toBe(2)
    const [first] = await snapshot.find('document', { where: { state: 'failed' } }, 'id', {
      ...part,
      size: 1,
    })
    expect(first?.doc_id).toBe('doc:02500')
    expect(snapshot.blocksRead).toBe(3)
  })

  it('by time of change fetches no more records than are wanted', async () => {
    const snapshot = await manyDocuments()
    const newest = await snapshot.find('document', { direction: 'desc' }, 'changed', part)
    expect(newest.map(({ updated_at }) => updated_at)).toEqual(Array.from({ length: 10 }, (_, i) => 5999 - i))
    expect(snapshot.blocksRead).toBeLessThanOrEqual(11)
    const failed = await snapshot.find('document', { where: { state: 'failed' } }, 'changed', part)
    expect(failed.every(({ state }) => state === 'failed')).toBe(true)
    expect(snapshot.blocksRead).toBeLessThanOrEqual(22)
  })

  it('by time of change looks through all of them when hardly any is wanted', async () => {
    const snapshot = await manyDocuments()
    const found = await snapshot.find('document', { where: { adapter: 'rare' } }, 'changed', part)
    expect(found.map(({ doc_id }) => doc_id)).toEqual(['doc:04321'])
    expect(snapshot.blocksRead).toBeLessThan(COUNT / 10)
    const some = await snapshot.find(
      'document',
      { where: { adapter: 'adapter 7' }, direction: 'desc' },
      'changed',
      {
        ...part,
        size: 50,
      },
    )
    const times = some.map(({ updated_at }) => updated_at)
    expect(times).toEqual([...times].sort((a, b) => b - a))
    expect(some).toHaveLength(50)
  })
})
