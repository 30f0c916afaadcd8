import { describe, expect, it } from 'vitest'
import type { Machine } from '../../../src/core/machine.ts'
import { machines } from '../../../src/core/machines/all.ts'
import { layoutOf, longestWay, type MachineNode } from './machine-layout.ts'

const all = Object.entries(machines) as [string, Machine<string>][]

function overlap(a: MachineNode, b: MachineNode): boolean {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height
}

describe.each(all)('the layout of a %s', (_, machine) => {
  const { nodes, edges, width, height } = layoutOf(machine)

  it('has every state once, and none on another', () => {
    expect(nodes.map(({ state }) => state).sort()).toEqual(Object.keys(machine.states).sort())
    for (const a of nodes) for (const b of nodes) if (a !== b) expect(overlap(a, b)).toBe(false)
  })

  it('has every edge to another state once', () => {
    const wanted = Object.entries(machine.states).flatMap(([from, { to }]) =>
      to.filter((next) => next !== from).map((next) => `${from} ${next}`),
    )
    expect(edges.map(({ from, to }) => `${from} ${to}`).sort()).toEqual(wanted.sort())
  })

  it('stays within its frame', () => {
    for (const { x, y, width: w, height: h } of nodes) {
      expect(x).toBeGreaterThanOrEqual(0)
      expect(y).toBeGreaterThanOrEqual(0)
      expect(x + w).toBeLessThanOrEqual(width)
      expect(y + h).toBeLessThanOrEqual(height)
    }
    for (const { path, head } of edges) expect(`${path}${head}`).not.toMatch(/NaN|Infinity|undefined/)
  })
})

describe('the layout of documents', () => {
  const { nodes, edges } = layoutOf(machines.document as Machine<string>)
  const at = (state: string) => nodes.find((node) => node.state === state) as MachineNode

  it('goes from left to right, work a row below what waits', () => {
    const way = longestWay(machines.document as Machine<string>)
    expect([way[0], way.at(-1)]).toEqual(['pending', 'completed'])
    expect(way).toHaveLength(12)
    const places = way.map(at)
    for (const [i, { x }] of places.entries()) if (i > 0) expect(x).toBeGreaterThan(places[i - 1]?.x ?? 0)
    expect([at('parsing').row, at('parsed').row]).toEqual([1, 0])
  })

  it('has what goes wrong beneath, as wide as where it is reached from', () => {
    expect([at('retrying').row, at('failed').row]).toEqual([2, 3])
    expect(at('failed').x).toBeLessThan(at('fetching').x + at('fetching').width)
    expect(at('failed').x + at('failed').width).toBeGreaterThan(at('indexed').x)
  })

  it('tells the way on from what is past it, beside it, and out of nowhere', () => {
    const kind = (from: string, to: string) => edges.find((e) => e.from === from && e.to === to)?.kind
    expect(kind('pending', 'fetching')).toBe('way')
    expect(kind('ir_ready', 'completed')).toBe('shortcut')
    expect(kind('parsing', 'failed')).toBe('side')
    expect(kind('legacy', 'parsed')).toBe('odd')
  })
})
