// Rows of `Idempotency`: who owns a key, and who holds one of the places under a limit. They are put there before the
// change that wants them is decided, with the row that decides it; until that row says so, they count for nothing more
// than that somebody may be about to have them.
//
// A place is a row by itself, with a number below the limit: two who take the same one cannot both have it, and nobody
// writes to a row that others need.
import { crc32 } from 'node:zlib'
import type { Claim, ClaimKey, SlotKey } from '../../core/decision.ts'
import { fromIso, toIso } from '../../core/time.ts'
import type { RowRef } from './azure-cell.ts'
import { digits, key, part, rangeOf } from './keys.ts'
import type { Columns, Row } from './service.ts'
import { IDEMPOTENCY } from './table-names.ts'

const CLAIM = 'claim'
const SLOT = 'slot'
const NUMBER_DIGITS = 16

/** The change that wants it, and the row that decides over that. */
export interface Tentative {
  readonly change: string
  readonly by: RowRef
  readonly at: number
  /** Where the change is going to be told. */
  readonly lane: number
}

export interface ClaimRow extends Claim {
  readonly ref: RowRef
  readonly etag: string
  readonly tentative: Tentative | null
}

export interface SlotHold extends SlotKey {
  readonly owner: string
  readonly until: number | null
  /** It is the job of that name, whose own row says that it holds it. */
  readonly isJobs: boolean
}

export interface SlotRowRead extends SlotHold {
  readonly number: number
  readonly ref: RowRef
  readonly etag: string
  readonly tentative: Tentative | null
}

/** Over how many partitions the rows of one tenant are spread: a partition takes only so many writes a second. */
export class Shards {
  readonly count: number

  constructor(count: number) {
    this.count = count
  }

  claimRef({ tenant_id, key: name }: ClaimKey): RowRef {
    return this.#ref(tenant_id, crc32(name), key(CLAIM, part(name)))
  }

  slotRef({ tenant_id, key: name }: SlotKey, number: number): RowRef {
    return this.#ref(tenant_id, number, key(SLOT, part(name), digits(number, NUMBER_DIGITS)))
  }

  partitionsOf(tenant_id: string): readonly string[] {
    return Array.from({ length: this.count }, (_, shard) => key(part(tenant_id), digits(shard, 2)))
  }

  /** The partition of a place with this number. */
  shardOf(claim: ClaimKey): number {
    return crc32(claim.key) % this.count
  }

  #ref(tenant_id: string, number: number, rk: string): RowRef {
    return { table: IDEMPOTENCY, pk: key(part(tenant_id), digits(number % this.count, 2)), rk }
  }
}

export function slotRange({ key: name }: SlotKey): { readonly from: string; readonly before: string } {
  return rangeOf(SLOT, part(name))
}

/** Those with this number and later ones. */
export function slotRangeFrom(
  slot: SlotKey,
  number: number,
): { readonly from: string; readonly before: string } {
  return { from: key(SLOT, part(slot.key), digits(number, NUMBER_DIGITS)), before: slotRange(slot).before }
}

export const CLAIM_RANGE = rangeOf(CLAIM)
export const SLOT_RANGE = rangeOf(SLOT)

export function claimColumns({ tenant_id, key: name, owner }: Claim, tentative: Tentative | null): Columns {
  return { tenant_id, key: name, owner, ...tentativeColumns(tentative) }
}

export function slotColumns(hold: SlotHold, tentative: Tentative | null): Columns {
  const { tenant_id, key: name, owner, until, isJobs } = hold
  return {
    tenant_id,
    key: name,
    owner,
    ...(until === null ? null : { until: toIso(until) }),
    ...(isJobs ? { job: true } : null),
    ...tentativeColumns(tentative),
  }
}

function tentativeColumns(tentative: Tentative | null): Columns {
  if (tentative === null) return {}
  const { change, by, at, lane } = tentative
  return { change, by: JSON.stringify(by), at: toIso(at), lane }
}

function tentativeOf({ change, by, at, lane }: Columns): Tentative | null {
  if (change === undefined) return null
  return {
    change: change as string,
    by: JSON.parse(by as string),
    at: fromIso(at as string),
    lane: lane as number,
  }
}

export function claimOfRow({ pk, rk, etag, columns }: Row): ClaimRow {
  const { tenant_id, key: name, owner } = columns as { tenant_id: string; key: string; owner: string }
  const ref = { table: IDEMPOTENCY, pk, rk }
  return { tenant_id, key: name, owner, ref, etag, tentative: tentativeOf(columns) }
}

export function slotOfRow({ pk, rk, etag, columns }: Row): SlotRowRead {
  const {
    tenant_id,
    key: name,
    owner,
    until,
    job,
  } = columns as {
    tenant_id: string
    key: string
    owner: string
    until?: string
    job?: boolean
  }
  return {
    tenant_id,
    key: name,
    owner,
    until: until === undefined ? null : fromIso(until),
    isJobs: job === true,
    number: Number(rk.slice(-NUMBER_DIGITS)),
    ref: { table: IDEMPOTENCY, pk, rk },
    etag,
    tentative: tentativeOf(columns),
  }
}

export function isActive({ until }: { readonly until: number | null }, now: number): boolean {
  return until === null || until > now
}
