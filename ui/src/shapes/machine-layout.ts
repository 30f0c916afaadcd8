// Where the states of a machine stand, and how the arrows between them go. The way on is a line from left to right, work that is
// under way a row below what waits for it; what goes wrong lies beneath, as wide as the part of the way that it is
// reached from, so that arrows go straight down. Only what the machine says counts: no state is known by its name.
import type { Machine, StateSpec } from '../../../src/core/machine.ts'
import { elbowDown, elbowUp, type Line, over, straight, swing } from './arrows.ts'

export interface MachineNode {
  readonly state: string
  /** Top left. */
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
  readonly row: number
}

/** `way`: one after the other; `shortcut`: past some; `side`: to and from what lies beneath; `odd`: out of a state that nothing leads to. */
type EdgeKind = 'way' | 'shortcut' | 'side' | 'odd'

export interface MachineEdge extends Line {
  readonly from: string
  readonly to: string
  readonly kind: EdgeKind
}

export interface MachineLayout {
  readonly width: number
  readonly height: number
  readonly nodes: readonly MachineNode[]
  readonly edges: readonly MachineEdge[]
}

const NODE_WIDTH = 92
const NODE_HEIGHT = 42
/** Between the middles of two states that are a row apart. */
const STEP = 82
const ROW_HEIGHT = 76
const MARGIN = 4
/** For arrows above the first row. */
const HEAD_ROOM = 26
const BAR_REACH = 24
const GAP = 8
/** So far to the side of the middle arrows come in and go out. */
const LANE = 18

type States = Machine<string>['states']

export function layoutOf(machine: Machine<string>): MachineLayout {
  const way = longestWay(machine)
  const nodes = new Map<string, MachineNode>()
  placeWay(way, machine.states, nodes)
  const reachable = reachableFrom(machine)
  for (const state of besides(way, machine.states, reachable)) {
    nodes.set(state, placeBeside(state, { way, nodes, states: machine.states, reachable }))
  }
  const all = [...nodes.values()]
  return {
    width: Math.max(...all.map(({ x, width }) => x + width)) + MARGIN,
    height: Math.max(...all.map(({ y, height }) => y + height)) + MARGIN,
    nodes: all,
    edges: edgesOf(machine.states, { way, nodes, reachable }),
  }
}

/** From the first state to one that ends well, through as much as there is, without anything going wrong. */
export function longestWay({ initial, states }: Machine<string>): readonly string[] {
  let best: readonly string[] = [initial]
  const isEnd = (state: string) => states[state]?.terminal === true
  const score = (way: readonly string[]) => way.length + (isEnd(way.at(-1) ?? '') ? 1000 : 0)
  const walk = (way: readonly string[]) => {
    if (score(way) > score(best)) best = way
    for (const next of states[way.at(-1) ?? '']?.to ?? []) {
      if (!way.includes(next) && isGood(states[next])) walk([...way, next])
    }
  }
  walk([initial])
  return best
}

function isGood(spec: StateSpec<string> | undefined): boolean {
  return spec !== undefined && spec.tone !== 'bad' && spec.tone !== 'stopped' && spec.retry !== true
}

function reachableFrom({ initial, states }: Machine<string>): ReadonlySet<string> {
  const seen = new Set([initial])
  for (const state of seen) for (const next of states[state]?.to ?? []) seen.add(next)
  return seen
}

function nodeAt(state: string, middle: number, row: number, width = NODE_WIDTH): MachineNode {
  const y = MARGIN + HEAD_ROOM + row * ROW_HEIGHT
  return { state, x: middle - width / 2, y, width, height: NODE_HEIGHT, row }
}

function placeWay(way: readonly string[], states: States, nodes: Map<string, MachineNode>): void {
  let middle = MARGIN + NODE_WIDTH / 2
  let before: number | null = null
  for (const state of way) {
    const row = states[state]?.tone === 'busy' ? 1 : 0
    if (before !== null) middle += before === row ? NODE_WIDTH + 2 * LANE : STEP
    nodes.set(state, nodeAt(state, middle, row))
    before = row
  }
}

/** What is tried again first, then what ended badly, then the rest; what nothing leads to comes last. */
function besides(way: readonly string[], states: States, reachable: ReadonlySet<string>): readonly string[] {
  const rank = (state: string) => {
    if (!reachable.has(state)) return 3
    const spec = states[state]
    return spec?.retry === true ? 0 : spec?.tone === 'bad' ? 1 : 2
  }
  return Object.keys(states)
    .filter((state) => !way.includes(state))
    .sort((a, b) => rank(a) - rank(b))
}

interface Placed {
  readonly way: readonly string[]
  readonly nodes: ReadonlyMap<string, MachineNode>
  readonly reachable: ReadonlySet<string>
}

function placeBeside(state: string, { way, nodes, states, reachable }: Placed & { readonly states: States }) {
  const isOdd = !reachable.has(state)
  const sources = isOdd ? way.slice(-1) : neighbours(state, states).filter((one) => nodes.has(one))
  const middles = (sources.length === 0 ? way.slice(-1) : sources).map((one) => middleOf(nodes.get(one)))
  const [left, right] = [Math.min(...middles), Math.max(...middles)]
  const width = left === right ? NODE_WIDTH : right - left + 2 * BAR_REACH
  for (let row = 2; ; row++) {
    const node = nodeAt(state, (left + right) / 2, row, width)
    if (![...nodes.values()].some((other) => isTouching(node, other))) return node
  }
}

/** From where one gets there. */
function neighbours(state: string, states: States): readonly string[] {
  return Object.keys(states).filter((other) => other !== state && states[other]?.to.includes(state) === true)
}

function isTouching(a: MachineNode, b: MachineNode): boolean {
  return a.row === b.row && a.x < b.x + b.width + GAP && b.x < a.x + a.width + GAP
}

function middleOf(node: MachineNode | undefined): number {
  return node === undefined ? 0 : node.x + node.width / 2
}

function edgesOf(states: States, placed: Placed): readonly MachineEdge[] {
  return Object.entries(states).flatMap(([from, { to }]) =>
    to.flatMap((next) => {
      const [a, b] = [placed.nodes.get(from), placed.nodes.get(next)]
      if (a === undefined || b === undefined || a === b) return []
      const kind = kindOf(from, next, placed)
      return [{ from, to: next, kind, ...lineOf(a, b, kind) }]
    }),
  )
}

function kindOf(from: string, to: string, { way, reachable }: Placed): EdgeKind {
  if (!reachable.has(from)) return 'odd'
  const [a, b] = [way.indexOf(from), way.indexOf(to)]
  if (a < 0 || b < 0) return 'side'
  return b === a + 1 ? 'way' : 'shortcut'
}

function lineOf(a: MachineNode, b: MachineNode, kind: EdgeKind): Line {
  if (kind === 'odd') return swing(a, b)
  if (kind === 'side') return sideLine(a, b)
  if (a.row < b.row) return elbowDown(a, b, LANE)
  if (a.row > b.row) return elbowUp(a, b, kind === 'way' ? LANE : -LANE)
  return kind === 'way' ? straight([a.x + a.width, midY(a)], [b.x, midY(b)]) : over(a, b)
}

function midY({ y, height }: MachineNode): number {
  return y + height / 2
}

/** Straight down, or up again beside it; in a lane for each row that it goes to, so that no arrow lies on another. */
function sideLine(a: MachineNode, b: MachineNode): Line {
  const [upper, lower] = a.row <= b.row ? [a, b] : [b, a]
  const isUp = upper !== a
  const lane = upper.row === 0 ? 0 : (lower.row - upper.row > 1 ? 22 : -8) + (isUp ? 16 : 0)
  const narrow = upper.width <= lower.width ? upper : lower
  const x = middleOf(narrow) + lane
  const isWithin = (node: MachineNode) => x > node.x + 4 && x < node.x + node.width - 4
  if (!isWithin(upper) || !isWithin(lower)) return swing(a, b)
  const [top, bottom] = [upper.y + upper.height, lower.y]
  return isUp ? straight([x, bottom], [x, top]) : straight([x, top], [x, bottom])
}
