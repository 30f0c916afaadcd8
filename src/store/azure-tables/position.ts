// A position in the log: how far each lane was read. As a cursor it is `w` and, for each lane, its number, the last line
// that was read whole, and how many records of the next one were: all in base 36.
import { BadCursor } from '../../errors/input-errors.ts'
import type { Cursor } from '../query.ts'
import { START } from '../store.ts'

export interface LanePosition {
  readonly seq: number
  /** Records of the line after it. */
  readonly offset: number
}

export type Position = ReadonlyMap<number, LanePosition>

export const BEGINNING: LanePosition = { seq: 0, offset: 0 }

const CURSOR = /^w[0-9a-z]+-[0-9a-z]+(?:-[0-9a-z]+)?(?:\.[0-9a-z]+-[0-9a-z]+(?:-[0-9a-z]+)?)*$/

export function cursorOf(position: Position): Cursor {
  const lanes = [...position]
    .filter(([, { seq, offset }]) => seq > 0 || offset > 0)
    .sort(([a], [b]) => a - b)
    .map(([lane, { seq, offset }]) =>
      [lane, seq, ...(offset === 0 ? [] : [offset])].map((n) => n.toString(36)).join('-'),
    )
  return lanes.length === 0 ? START : `w${lanes.join('.')}`
}

export function positionOf(cursor: Cursor): Position {
  if (cursor === START) return new Map()
  if (!CURSOR.test(cursor)) throw new BadCursor(cursor)
  return new Map(
    cursor
      .slice(1)
      .split('.')
      .map((lane) => {
        const [number = 0, seq = 0, offset = 0] = lane.split('-').map((text) => Number.parseInt(text, 36))
        return [number, { seq, offset }]
      }),
  )
}
