import { BadCursor } from '../errors/input-errors.ts'
import type { Cursor } from './query.ts'

/** A place in the log, as a cursor. */
export function seqOf(cursor: Cursor): number {
  if (!/^\d{1,15}$/.test(cursor)) throw new BadCursor(cursor)
  return Number(cursor)
}

/** A place in a sorted list: what it was sorted by, then the key that breaks ties. */
export interface SortedPlace {
  readonly order: string
  readonly at: number
  readonly tenant_id: string
  readonly id: string
}

export function cursorOf(place: SortedPlace): Cursor {
  const fields = [place.order, place.at, place.tenant_id, place.id]
  return Buffer.from(JSON.stringify(fields)).toString('base64url')
}

/** The place, if the cursor was given out for the same order. */
export function placeOf(cursor: Cursor, order: string): SortedPlace {
  try {
    const fields: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString())
    if (Array.isArray(fields) && fields.length === 4) {
      const [from, at, tenant_id, id] = fields
      const sound =
        from === order && typeof at === 'number' && typeof tenant_id === 'string' && typeof id === 'string'
      if (sound) return { order, at, tenant_id, id }
    }
  } catch {
    // Falls through: whatever is wrong with it, it is not a cursor.
  }
  throw new BadCursor(cursor)
}
