import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  AUDIT,
  auditQuery,
  collect,
  Delta,
  sayings,
  sealAll,
} from '../../../../test/fixtures/segment-lines.ts'
import type { AuditRecord } from '../../../core/audit.ts'
import { DurationRollup } from '../../../core/durations.ts'
import { BadCursor, InvalidInput } from '../../../errors/input-errors.ts'
import { MemoryDisk } from '../../../testing/memory-disk.ts'
import { type AuditQuery, matchesAudit, matchesDurations } from '../../query.ts'
import { auditHistory, type Direction, type HistorySource, historyDurations, readHistory } from './history.ts'
import { openSegments } from './segment-chain.ts'

/** What is not sealed yet. */
class Unsealed implements HistorySource {
  readonly #delta: Delta
  asked = 0

  constructor(delta: Delta) {
    this.#delta = delta
  }

  get firstSeq() {
    return this.#delta.firstSeq
  }

  get lastSeq() {
    return this.#delta.lastSeq
  }

  async *records(query: AuditQuery, place: number, direction: Direction): AsyncGenerator<AuditRecord> {
    this.asked++
    const { records } = this.#delta
    for (const record of direction === 'asc' ? records : records.toReversed()) {
      const isThere = direction === 'asc' ? record.seq > place : record.seq < place
      if (isThere && matchesAudit(record, query)) yield record
    }
  }
}

const parts = fc.array(sayings, { minLength: 2, maxLength: 4 })

async function setUp(all: Parameters<typeof sealAll>[1]) {
  const disk = new MemoryDisk()
  const { deltas } = await sealAll(disk, all.slice(0, -1))
  const last = new Delta(all.at(-1) ?? [], (deltas.at(-1)?.lastSeq ?? 0) + 1)
  const unsealed = new Unsealed(last)
  const sources: readonly HistorySource[] = [...(await openSegments(disk, AUDIT)), unsealed]
  return {
    sources,
    unsealed,
    records: [...deltas, last].flatMap((delta) => delta.records),
    end: last.lastSeq,
  }
}

describe('a history', () => {
  it('is read as one, from any place in both directions', async () => {
    await fc.assert(
      fc.asyncProperty(parts, auditQuery, fc.nat(150), async (all, query, place) => {
        const { sources, records } = await setUp(all)
        const wanted = records.filter((record) => matchesAudit(record, query))
        expect(await collect(readHistory(sources, query, place, 'asc'))).toEqual(
          wanted.filter(({ seq }) => seq > place),
        )
        expect(await collect(readHistory(sources, query, place, 'desc'))).toEqual(
          wanted.filter(({ seq }) => seq < place).toReversed(),
        )
      }),
      { numRuns: 40 },
    )
  })

  it('gives pages of any size that together are the whole', async () => {
    await fc.assert(
      fc.asyncProperty(
        parts,
        auditQuery,
        fc.integer({ min: 1, max: 9 }),
        fc.constantFrom('asc', 'desc', undefined),
        async (all, filter, limit, direction) => {
          const { sources, records } = await setUp(all)
          const wanted = records.filter((record) => matchesAudit(record, filter))
          const seen: AuditRecord[] = []
          for (let after: string | undefined; ; ) {
            const { items, next } = await auditHistory(sources, { ...filter, limit, direction, after })
            seen.push(...items)
            if (next === null) break
            expect(items).toHaveLength(limit)
            expect(next).toBe(items.at(-1)?.cursor)
            after = next
          }
          expect(seen).toEqual(direction === 'desc' ? wanted.toReversed() : wanted)
        },
      ),
      { numRuns: 40 },
    )
  })

  it('adds up the durations of all its parts', async () => {
    await fc.assert(
      fc.asyncProperty(parts, auditQuery, async (all, { tenant_id, kind, state, adapter, from, before }) => {
        const { sources, records } = await setUp(all)
        const query = { tenant_id, kind, state, adapter, from, before }
        const rollup = new DurationRollup()
        for (const record of records) if (matchesDurations(record, query)) rollup.add(record)
        expect(await historyDurations(sources, query)).toEqual(rollup.rows(query))
      }),
      { numRuns: 40 },
    )
  })

  it('refuses cursors beyond its end, cursors that are none, and limits that make no sense', async () => {
    const { sources, end } = await setUp([[[]], [[]]])
    expect(await auditHistory(sources, { after: String(end) })).toEqual({ items: [], next: null })
    for (const after of [String(end + 1), 'x', '-1']) {
      await expect(auditHistory(sources, { after })).rejects.toThrow(BadCursor)
    }
    await expect(auditHistory([], { after: '1' })).rejects.toThrow(BadCursor)
    expect(await auditHistory([], { after: '0' })).toEqual({ items: [], next: null })
    await expect(auditHistory(sources, { limit: 0 })).rejects.toThrow(InvalidInput)
  })

  it('does not ask those who have nothing beyond the place', async () => {
    const { sources, unsealed, end } = await setUp([[[]], [[], []]])
    await auditHistory(sources, { after: String(end) })
    await auditHistory(sources, { after: String(unsealed.firstSeq), direction: 'desc' })
    expect(unsealed.asked).toBe(0)
  })
})
