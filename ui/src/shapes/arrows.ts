// Lines with a head, as the paths of an SVG.

type Point = readonly [x: number, y: number]

interface Box {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

export interface Line {
  readonly path: string
  /** The arrowhead, as a path of its own: it has the colour of its line everywhere. */
  readonly head: string
}

const HEAD = 6
const ROUND = 9

function headAt([x, y]: Point, [dx, dy]: Point): string {
  const back: Point = [x - dx * HEAD, y - dy * HEAD]
  const half = HEAD * 0.55
  const left: Point = [back[0] - dy * half, back[1] + dx * half]
  const right: Point = [back[0] + dy * half, back[1] - dx * half]
  return `M${point([x, y])}L${point(left)}L${point(right)}Z`
}

function point([x, y]: Point): string {
  return `${Math.round(x * 10) / 10} ${Math.round(y * 10) / 10}`
}

function direction(from: Point, to: Point): Point {
  const [dx, dy] = [to[0] - from[0], to[1] - from[1]]
  const length = Math.hypot(dx, dy)
  return length === 0 ? [0, 1] : [dx / length, dy / length]
}

export function straight(from: Point, to: Point): Line {
  return { path: `M${point(from)}L${point(to)}`, head: headAt(to, direction(from, to)) }
}

/** Out at the bottom, right of the middle, and in at the left. */
export function elbowDown(a: Box, b: Box, lane: number): Line {
  const x = a.x + a.width / 2 + lane
  const y = b.y + b.height / 2
  const path = `M${point([x, a.y + a.height])}L${point([x, y - ROUND])}Q${point([x, y])} ${point([x + ROUND, y])}L${point([b.x, y])}`
  return { path, head: headAt([b.x, y], [1, 0]) }
}

/** Out at the right, and in at the bottom, left of the middle. */
export function elbowUp(a: Box, b: Box, lane: number): Line {
  const x = b.x + b.width / 2 - lane
  const y = a.y + a.height / 2
  const [way, end] = [x >= a.x ? 1 : -1, b.y + b.height]
  const start: Point = [way > 0 ? a.x + a.width : a.x, y]
  const path = `M${point(start)}L${point([x - way * ROUND, y])}Q${point([x, y])} ${point([x, y - ROUND])}L${point([x, end])}`
  return { path, head: headAt([x, end], [0, -1]) }
}

/** Above whatever stands between the two. */
export function over(a: Box, b: Box): Line {
  const [from, to] = [a.x + a.width / 2, b.x + b.width / 2]
  const way = to > from ? 1 : -1
  const top = Math.min(a.y, b.y) - 16
  const path =
    `M${point([from, a.y])}L${point([from, top + ROUND])}Q${point([from, top])} ${point([from + way * ROUND, top])}` +
    `L${point([to - way * ROUND, top])}Q${point([to, top])} ${point([to, top + ROUND])}L${point([to, b.y])}`
  return { path, head: headAt([to, b.y], [0, 1]) }
}

/** A curve from one to the other, wherever they are. */
export function swing(a: Box, b: Box): Line {
  const isUp = b.y < a.y
  const from: Point = [a.x + a.width / 2, isUp ? a.y : a.y + a.height]
  const to: Point = [nearestWithin(from[0], b), b.y === a.y || isUp ? b.y + b.height : b.y]
  const bend = Math.max(24, Math.abs(to[1] - from[1]) / 2)
  const out = isUp ? -bend : bend
  const into = to[1] === b.y ? -bend : bend
  const path = `M${point(from)}C${point([from[0], from[1] + out])} ${point([to[0], to[1] + into])} ${point(to)}`
  return { path, head: headAt(to, [0, to[1] === b.y ? 1 : -1]) }
}

function nearestWithin(x: number, { x: left, width }: Box): number {
  const inset = Math.min(14, width / 2)
  return Math.max(left + inset, Math.min(left + width - inset, x))
}
