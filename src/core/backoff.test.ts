import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Backoff, backoffMs } from './backoff.ts'

function waits(backoff: Backoff, count: number): number[] {
  return Array.from({ length: count }, (_, i) => backoffMs(backoff, i + 1))
}

const KINDS = ['none', 'linear', 'exponential', 'fibonacci'] as const

describe('A69: waits before the next try', () => {
  it('as listed, the last one over and over', () => {
    expect(waits({ kind: 'list', delaysMs: [30_000, 120_000, 600_000] }, 5)).toEqual([
      30_000, 120_000, 600_000, 600_000, 600_000,
    ])
  })

  it('an empty list does not wait', () => {
    expect(waits({ kind: 'list', delaysMs: [] }, 2)).toEqual([0, 0])
  })

  it('none: immediately', () => {
    expect(waits({ kind: 'none', baseMs: 1000, capMs: 60_000 }, 3)).toEqual([0, 0, 0])
  })

  it('linear', () => {
    expect(waits({ kind: 'linear', baseMs: 1000, capMs: 60_000 }, 5)).toEqual([1000, 2000, 3000, 4000, 5000])
  })

  it('exponential', () => {
    expect(waits({ kind: 'exponential', baseMs: 500, capMs: 30_000 }, 8)).toEqual([
      500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000,
    ])
  })

  it('fibonacci', () => {
    expect(waits({ kind: 'fibonacci', baseMs: 1000, capMs: 60_000 }, 8)).toEqual([
      1000, 1000, 2000, 3000, 5000, 8000, 13_000, 21_000,
    ])
  })

  it('never longer than the cap, never shorter than the one before', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...KINDS),
        fc.integer({ min: 1, max: 3_600_000 }),
        fc.integer({ min: 0, max: 86_400_000 }),
        fc.integer({ min: 1, max: 200 }),
        (kind, baseMs, capMs, tries) => {
          const wait = backoffMs({ kind, baseMs, capMs }, tries)
          const next = backoffMs({ kind, baseMs, capMs }, tries + 1)
          return 0 <= wait && wait <= next && next <= capMs
        },
      ),
    )
  })

  it('chance shortens a wait by its jitter at most', () => {
    const jittered: Backoff = { kind: 'linear', baseMs: 1000, capMs: 60_000, jitter: 0.5 }
    expect(backoffMs(jittered, 4)).toBe(4000)
    expect(backoffMs(jittered, 4, 0)).toBe(4000)
    expect(backoffMs(jittered, 4, 0.5)).toBe(3000)
    expect(backoffMs({ kind: 'linear', baseMs: 1000, capMs: 60_000 }, 4, 0.5)).toBe(4000)
    const chance = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })
    const jitter = fc.double({ min: 0, max: 1, noNaN: true })
    fc.assert(
      fc.property(fc.constantFrom(...KINDS), chance, jitter, (kind, dice, part) => {
        const full = backoffMs({ kind, baseMs: 1000, capMs: 60_000 }, 5)
        const wait = backoffMs({ kind, baseMs: 1000, capMs: 60_000, jitter: part }, 5, dice)
        return Math.floor(full * (1 - part)) <= wait && wait <= full && Number.isInteger(wait)
      }),
    )
  })
})
