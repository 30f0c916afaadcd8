// The partition of `Index` that says what ledger this is, and which lanes its log has.
import { fromIso, toIso } from '../../core/time.ts'
import { digits, key, rangeOf } from './keys.ts'
import type { Row, RowWrite } from './service.ts'

export const LEDGER = 'ledger'
export const META = 'meta'

/** Grows when older versions could not read what newer ones write. */
export const LAYOUT = 1

export interface LedgerMeta {
  readonly layout: number
  readonly created_at: number
  /** Over how many partitions the keys and places of one tenant are spread. */
  readonly shards: number
}

export function metaRow({ layout, created_at, shards }: LedgerMeta): RowWrite {
  return { verb: 'insert', rk: META, columns: { layout, created_at: toIso(created_at), shards } }
}

export function metaOfRow({ columns }: Row): LedgerMeta {
  const { layout, created_at, shards } = columns as { layout: number; created_at: string; shards: number }
  return { layout, created_at: fromIso(created_at), shards }
}

const LANE = 'lane'
const LANE_DIGITS = 4

export const REGISTERED_LANES = rangeOf(LANE)

/** Who writes to a lane, and until when nobody else does. */
export interface LaneLease {
  readonly number: number
  /** Null when it was left in good order. */
  readonly owner: string | null
  readonly until: number
  /** When it was last written to, as far as its owner said. */
  readonly at: number
  readonly etag: string
}

export function leaseKey(number: number): string {
  return key(LANE, digits(number, LANE_DIGITS))
}

export function leaseColumns({ owner, until, at }: Pick<LaneLease, 'owner' | 'until' | 'at'>) {
  return { ...(owner === null ? null : { owner }), until: toIso(until), at: toIso(at) }
}

export function leaseOfRow({ rk, etag, columns }: Row): LaneLease {
  const { owner, until, at } = columns as { owner?: string; until: string; at: string }
  return {
    number: Number(rk.slice(LANE.length + 1)),
    owner: owner ?? null,
    until: fromIso(until),
    at: fromIso(at),
    etag,
  }
}
