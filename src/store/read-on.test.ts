import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Page } from './query.ts'
import { readOn } from './read-on.ts'

/** A list of numbers whose cursors are its own business. */
function listOf(length: number) {
  const asked: number[] = []
  const page = async ({
    after,
    limit,
  }: {
    after: string | undefined
    limit: number
  }): Promise<Page<number>> => {
    const start = after === undefined ? 0 : Number(after)
    const items = Array.from({ length: Math.max(0, Math.min(limit, length - start)) }, (_, i) => start + i)
    asked.push(items.length)
    return { items, next: start + items.length < length ? String(start + items.length) : null }
  }
  return { page, asked }
}

describe('reading on', () => {
  it('asks once when everything matches', async () => {
    const { page, asked } = listOf(1000)
    const { items, next } = await readOn({ page, matches: () => true, limit: 10, most: 100 })
    expect([items.length, next, asked]).toEqual([10, '10', [10]])
  })

  it('looks at so many and no more, and says where it was', async () => {
    const { page, asked } = listOf(10_000)
    const { items, next } = await readOn({ page, matches: () => false, most: 5000 })
    expect([items, next]).toEqual([[], '5000'])
    expect(asked.reduce((a, b) => a + b)).toBe(5000)
  })

  it('ends when somebody has had enough', async () => {
    const { page, asked } = listOf(10_000)
    await readOn({ page, matches: () => false, most: 5000, isEnough: () => true })
    expect(asked).toHaveLength(1)
  })

  it('finds everything once, page by page, whatever matches', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          length: fc.nat(3000),
          every: fc.integer({ min: 1, max: 300 }),
          limit: fc.integer({ min: 1, max: 50 }),
          most: fc.integer({ min: 1, max: 2000 }),
        }),
        async ({ length, every, limit, most }) => {
          const { page } = listOf(length)
          const matches = (n: number) => n % every === 0
          const found: number[] = []
          let after: string | undefined
          do {
            const part = await readOn({ page, matches, after, limit, most })
            expect(part.items.length).toBeLessThanOrEqual(limit)
            found.push(...part.items)
            after = part.next ?? undefined
          } while (after !== undefined)
          expect(found).toEqual(Array.from({ length }, (_, n) => n).filter(matches))
        },
      ),
      { numRuns: 100 },
    )
  })
})
