import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type AuditEntry, type AuditRecord, expandHop, hopsOf } from './audit.ts'
import {
  addDuration,
  DurationRollup,
  type DurationSketch,
  emptySketch,
  mergeSketch,
  quantileMs,
  sketchFields,
  sketchOf,
} from './durations.ts'

function sketched(durations: readonly number[]): DurationSketch {
  const sketch = emptySketch()
  for (const ms of durations) addDuration(sketch, ms)
  return sketch
}

/** From nothing to tens of years, and not only the large ones. */
const duration = fc.oneof(
  fc.nat(300),
  fc.nat(100_000),
  fc.nat(2 ** 31),
  fc.maxSafeNat().map((ms) => ms % 2 ** 40),
)

function exactQuantile(durations: readonly number[], q: number): number {
  const sorted = durations.toSorted((a, b) => a - b)
  return sorted[Math.max(1, Math.ceil(q * sorted.length)) - 1] as number
}

describe('a sketch of durations', () => {
  it('has count, sum and maximum exactly, and every quantile within one in a hundred', () => {
    fc.assert(
      fc.property(fc.array(duration, { minLength: 1 }), (durations) => {
        const sketch = sketched(durations)
        expect(sketch).toMatchObject({
          count: durations.length,
          sum_ms: durations.reduce((sum, ms) => sum + ms, 0),
          max_ms: Math.max(...durations),
        })
        for (const q of [0, 0.5, 0.95, 0.99, 1]) {
          const exact = exactQuantile(durations, q)
          expect(Math.abs(quantileMs(sketch, q) - exact)).toBeLessThanOrEqual(exact * 0.01)
        }
      }),
    )
  })

  it('is exact below 128 milliseconds', () => {
    for (let ms = 0; ms < 128; ms++) expect(quantileMs(sketched([ms, 1000]), 0.5)).toBe(ms)
  })

  it('has every duration in one bucket, and larger durations in no smaller one', () => {
    fc.assert(
      fc.property(duration, duration, (a, b) => {
        const [low, high] = [Math.min(a, b), Math.max(a, b)]
        expect(quantileMs(sketched([low, high]), 0.5)).toBeLessThanOrEqual(quantileMs(sketched([high]), 0.5))
      }),
    )
    for (let bits = 1; bits < 50; bits++) {
      expect(sketched([2 ** bits - 1, 2 ** bits]).buckets.size).toBe(2)
    }
  })

  it('is the same however it was merged', () => {
    fc.assert(
      fc.property(fc.array(duration), fc.array(duration), fc.array(duration), (a, b, c) => {
        const whole = sketchFields(sketched([...a, ...b, ...c]))
        const first = sketched(a)
        mergeSketch(first, sketched(b))
        mergeSketch(first, sketched(c))
        const last = sketched(c)
        mergeSketch(last, sketched(a))
        mergeSketch(last, sketched(b))
        expect(JSON.stringify(sketchFields(first))).toBe(JSON.stringify(whole))
        expect(JSON.stringify(sketchFields(last))).toBe(JSON.stringify(whole))
      }),
    )
  })

  it('survives a trip through JSON', () => {
    fc.assert(
      fc.property(fc.array(duration), (durations) => {
        const sketch = sketched(durations)
        expect(sketchOf(JSON.parse(JSON.stringify(sketchFields(sketch))))).toEqual(sketch)
      }),
    )
  })

  it('has no negative durations and no fractions, and nothing when it is empty', () => {
    expect(sketchFields(sketched([-5, 1.4]))).toEqual({
      count: 2,
      sum_ms: 1,
      max_ms: 1,
      buckets: { 0: 1, 1: 1 },
    })
    expect(quantileMs(emptySketch(), 0.5)).toBe(0)
  })
})

describe('a rollup of durations', () => {
  const record = (more: Partial<AuditRecord>) =>
    ({
      event: 'moved',
      tenant_id: 't',
      kind: 'document',
      old_state: 'fetching',
      new_state: 'fetched',
      adapter: 'web',
      duration_seconds: 1,
      ...more,
    }) as AuditRecord

  const rollupOf = (...records: readonly Partial<AuditRecord>[]) => {
    const rollup = new DurationRollup()
    for (const one of records) rollup.add(record(one))
    return rollup
  }

  it('counts what moved out of a state, and nothing else', () => {
    const rollup = rollupOf({}, { event: 'refused' }, { duration_seconds: null }, { old_state: null })
    expect([rollup.size, rollup.rows()]).toEqual([
      1,
      [
        {
          kind: 'document',
          state: 'fetching',
          adapter: 'web',
          count: 1,
          mean_seconds: 1,
          p50_seconds: 1,
          p95_seconds: 1,
          p99_seconds: 1,
          max_seconds: 1,
        },
      ],
    ])
  })

  it('counts an entry as it would count all the records that it stands for', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.record({
            event: fc.constantFrom('moved', 'refused'),
            duration_seconds: fc.constantFrom(null, 0, 1.5),
            path: fc.array(fc.constantFrom(null, 'a', 'b'), { minLength: 1, maxLength: 4 }),
          }),
        ),
        (entries) => {
          const [whole, single] = [new DurationRollup(), new DurationRollup()]
          for (const fields of entries) {
            const entry = { ...fields, tenant_id: 't', kind: 'job', adapter: '' } as unknown as AuditEntry
            whole.addEntry(entry)
            for (let hop = 0; hop < hopsOf(entry); hop++) single.add(expandHop(entry, hop, 1))
          }
          expect([whole.toFields(), whole.rows()]).toEqual([single.toFields(), single.rows()])
        },
      ),
    )
  })

  it('sorts its rows by kind, state and adapter', () => {
    const rollup = rollupOf(
      { kind: 'job', old_state: 'QUEUED' },
      { old_state: 'parsing' },
      { adapter: 'disk' },
      {},
      {},
    )
    expect(rollup.rows().map(({ kind, state, adapter }) => `${kind} ${state} ${adapter}`)).toEqual([
      'document fetching disk',
      'document fetching web',
      'document parsing web',
      'job QUEUED web',
    ])
  })

  it('counts tenants as one, or just the one that is asked for', () => {
    const rollup = rollupOf({}, { tenant_id: 'z', duration_seconds: 3 })
    expect(rollup.rows()).toMatchObject([{ count: 2, mean_seconds: 2 }])
    expect(rollup.rows()[0]).not.toHaveProperty('tenant_id')
    expect(rollup.rows({ tenant_id: 'z' })).toMatchObject([{ tenant_id: 'z', count: 1, mean_seconds: 3 }])
    expect(rollup.rows({ tenant_id: 'nobody' })).toEqual([])
  })

  it('counts adapters as one when it is asked by state', () => {
    const rollup = rollupOf({}, { adapter: 'disk', duration_seconds: 3 }, { old_state: 'parsing' })
    expect(rollup.rows({ by: 'state' })).toMatchObject([
      { state: 'fetching', adapter: null, count: 2, mean_seconds: 2 },
      { state: 'parsing', adapter: null, count: 1 },
    ])
    expect(rollup.rows({ by: 'adapter' })).toEqual(rollup.rows())
  })

  it('keeps apart what only looks alike when it is joined', () => {
    expect(
      rollupOf({ tenant_id: 'a\nb', adapter: 'c' }, { tenant_id: 'a', adapter: 'b\nc' }).toFields(),
    ).toHaveLength(2)
    expect(rollupOf({ tenant_id: 'ab', adapter: 'c' }, { tenant_id: 'a', adapter: 'bc' }).size).toBe(2)
  })

  it('is the same text whatever came first, and the same rollup when it is read back', () => {
    const one = { tenant_id: 'a', duration_seconds: 2 }
    const other = { tenant_id: 'b', duration_seconds: 5 }
    const third = { tenant_id: 'a', old_state: 'parsing' }
    const text = JSON.stringify(rollupOf(one, other, third, {}).toFields())
    expect(JSON.stringify(rollupOf({}, third, other, one).toFields())).toBe(text)
    const again = new DurationRollup()
    for (const group of rollupOf(one, other, third, {}).toFields()) again.merge(group, sketchOf(group))
    expect(again.rows()).toEqual(rollupOf(one, other, third, {}).rows())
  })
})
