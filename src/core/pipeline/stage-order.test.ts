import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cyclesOf, orderedStages } from './stage-order.ts'
import type { TopologyStage } from './topology.ts'

function order(stages: readonly TopologyStage[], phases?: readonly string[]): string[] {
  const topology = { name: 'n', version: 'v', stages, ...(phases === undefined ? {} : { phases }) }
  return orderedStages(topology).map(({ name }) => name)
}

describe('the order of stages', () => {
  it('as written, where nothing else is said', () => {
    expect(order([{ name: 'c' }, { name: 'a' }, { name: 'b' }])).toEqual(['c', 'a', 'b'])
  })

  it('after what they depend on, and else as written', () => {
    const stages = [
      { name: 'index', depends_on: ['embed', 'chunk'] },
      { name: 'embed', depends_on: ['chunk'] },
      { name: 'x' },
      { name: 'chunk', depends_on: ['parse'] },
      { name: 'parse' },
      { name: 'y' },
    ]
    expect(order(stages)).toEqual(['x', 'parse', 'chunk', 'embed', 'index', 'y'])
  })

  it('phase by phase', () => {
    const stages = [
      { name: 'embed', phase: 'two', depends_on: ['chunk'] },
      { name: 'parse', phase: 'one', depends_on: ['download'] },
      { name: 'chunk', phase: 'two' },
      { name: 'download', phase: 'one' },
    ]
    expect(order(stages, ['one', 'two'])).toEqual(['download', 'parse', 'chunk', 'embed'])
    // Without a list, phases come as stages name them.
    const unlisted = stages.map(({ depends_on: _, ...stage }) => stage)
    expect(order(unlisted)).toEqual(['embed', 'chunk', 'parse', 'download'])
  })

  it('cannot be told of a circle', () => {
    expect(() => order([{ name: 'a', depends_on: ['a'] }])).toThrow('stages do not wait for each other')
  })

  it('holds for any stages: there is an order, or a circle, never both', () => {
    const stages = fc.integer({ min: 1, max: 7 }).chain((count) =>
      fc.tuple(
        ...Array.from({ length: count }, (_, i) =>
          fc.record({
            name: fc.constant(`s${i}`),
            depends_on: fc.uniqueArray(
              fc.integer({ min: 0, max: count - 1 }).map((other) => `s${other}`),
              {
                maxLength: 2,
              },
            ),
          }),
        ),
      ),
    )
    const met = { ordered: 0, circular: 0 }
    fc.assert(
      fc.property(stages, (given) => {
        const cycles = cyclesOf(given)
        if (cycles.length === 0) {
          met.ordered++
          const names = order(given)
          expect(names.toSorted()).toEqual(given.map(({ name }) => name).toSorted())
          for (const { name, depends_on } of given)
            for (const other of depends_on) expect(names.indexOf(other)).toBeLessThan(names.indexOf(name))
          return
        }
        met.circular++
        expect(() => order(given)).toThrow('stages do not wait for each other')
        for (const cycle of cycles) {
          expect(cycle[0]).toBe(cycle.at(-1))
          for (const [i, name] of cycle.slice(0, -1).entries())
            expect(given.find((stage) => stage.name === name)?.depends_on).toContain(cycle[i + 1])
        }
      }),
      { numRuns: 500 },
    )
    expect(met.ordered).toBeGreaterThan(50)
    expect(met.circular).toBeGreaterThan(50)
  })
})
