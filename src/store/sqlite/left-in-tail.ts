// What a small write would have to put into tables of their own it leaves in its row of the tail: jobs that became ready, places
// under limits, claims. Each of those tables would be another page to write, for a row of a few bytes. They are put in their
// places when the tail is folded, many at once; what is ready also before somebody takes work or removes some, and places under
// limits before somebody has to name who holds them.
//
//   ready       [queue, tenant_id, group, rank, job_id] of each, of this write
//   ready_left  how many there are in the tail up to here
//   slots       [tenant_id, key, add] of each limit: the sum of all in the tail up to here, so that the last row says all
//   claims      [tenant_id, key, owner] of each, of this write; `new-claims.ts` knows them
import type { ReadyKey, SlotWrite, WriteSet } from '../tables/tables.ts'
import type { Connection } from './connection.ts'
import { lost } from './write-aggregates.ts'
import { changeReady } from './write-work.ts'

/** Rows of a sort that a write may leave in the tail: of more, each costs little where it is found. */
const MOST_OF_A_SORT = 8

/** Limits that the last row of the tail may tell of. */
const MOST_LIMITS = 32

/** What is left in the tail. */
export interface LeftInTail {
  readonly ready_left: number
  readonly slots: string
}

export const NOTHING_LEFT: LeftInTail = { ready_left: 0, slots: '[]' }

type LeftReady = readonly [queue: string, tenant_id: string, group: string, rank: number, job_id: string]
type LeftSlot = readonly [tenant_id: string, key: string, add: number]
type LeftClaim = readonly [tenant_id: string, key: string, owner: string]

/** Whether a write is so small that all of it that can be left in the tail is. */
export function mayBeLeft({ ready, slots, claims }: WriteSet): boolean {
  return (
    ready.drops.length === 0 &&
    ready.adds.length <= MOST_OF_A_SORT &&
    claims.length <= MOST_OF_A_SORT &&
    slots.length <= MOST_OF_A_SORT &&
    slots.every(({ named }) => named === null)
  )
}

export function readyText(ready: readonly ReadyKey[]): string {
  if (ready.length === 0) return '[]'
  const left = ready.map(
    ({ queue, tenant_id, group, rank, job_id }): LeftReady => [queue, tenant_id, group, rank, job_id],
  )
  return JSON.stringify(left)
}

export function claimsText(claims: WriteSet['claims']): string {
  if (claims.length === 0) return '[]'
  return JSON.stringify(claims.map(({ tenant_id, key, owner }): LeftClaim => [tenant_id, key, owner]))
}

/** What the last row is to say of limits, with these counted. */
export function leaveSlots(db: Connection, before: LeftInTail, slots: readonly SlotWrite[]): string {
  if (slots.length === 0) return before.slots
  const left = [...slotsIn(before.slots)]
  for (const { tenant_id, key, add, most } of slots) {
    const at = left.findIndex((slot) => slot[0] === tenant_id && slot[1] === key)
    const known = left[at]?.[2] ?? 0
    if (most !== null && countedOf(db, tenant_id, key) + known > most) throw lost(`the limit ${key}`)
    if (at === -1) left.push([tenant_id, key, add])
    else left[at] = [tenant_id, key, known + add]
  }
  if (left.length <= MOST_LIMITS) return JSON.stringify(left)
  addSlots(db, left)
  return '[]'
}

/** Places that are counted in the tail only. */
export function leftOfSlot(db: Connection, tenant_id: string, key: string): number {
  const slot = slotsIn(leftIn(db).slots).find(([tenant, name]) => tenant === tenant_id && name === key)
  return slot?.[2] ?? 0
}

/** Those that are ready, and found only here. */
export function leftReady(db: Connection): readonly ReadyKey[] {
  if (leftIn(db).ready_left === 0) return []
  return textsOf<LeftReady>(db, 'ready').map(([queue, tenant_id, group, rank, job_id]) => {
    return { queue, tenant_id, group, rank, job_id }
  })
}

export function leftClaims(db: Connection): readonly LeftClaim[] {
  return textsOf<LeftClaim>(db, 'claims')
}

/** Puts what is ready where it is found. Within a transaction that writes. */
export function placeReady(db: Connection): void {
  const adds = leftReady(db)
  if (adds.length === 0) return
  db.lastHead.forget()
  changeReady(db, { adds, drops: [] })
  db.run(`UPDATE tail SET ready = '[]', ready_left = 0 WHERE ready_left > 0`)
}

/** Counts under the limits themselves what the tail says of them. Within a transaction that writes. */
export function placeSlots(db: Connection): void {
  const { slots } = leftIn(db)
  if (slots === '[]') return
  db.lastHead.forget()
  addSlots(db, slotsIn(slots))
  db.run(`UPDATE tail SET slots = '[]' WHERE first_seq = (SELECT max(first_seq) FROM tail)`)
}

/** Before all of the tail goes. */
export function placeAll(db: Connection): void {
  changeReady(db, { adds: leftReady(db), drops: [] })
  addSlots(db, slotsIn(leftIn(db).slots))
  db.run(
    `INSERT INTO new_claim (tenant_id, key, owner)
     SELECT each.value ->> 0, each.value ->> 1, each.value ->> 2 FROM tail CROSS JOIN json_each(tail.claims) AS each`,
  )
}

function leftIn(db: Connection): LeftInTail {
  const sql = 'SELECT ready_left, slots FROM tail ORDER BY first_seq DESC LIMIT 1'
  return db.get<LeftInTail>(sql) ?? NOTHING_LEFT
}

/** In order. As lists, and not by SQL: numbers stay exactly what they are. */
function textsOf<T>(db: Connection, column: 'ready' | 'claims'): readonly T[] {
  const sql = `SELECT ${column} AS text FROM tail WHERE ${column} <> '[]' ORDER BY first_seq`
  return db.all<{ text: string }>(sql).flatMap(({ text }) => JSON.parse(text) as readonly T[])
}

function slotsIn(text: string): readonly LeftSlot[] {
  return text === '[]' ? [] : JSON.parse(text)
}

function countedOf(db: Connection, tenant_id: string, key: string): number {
  const sql = 'SELECT counted FROM slot WHERE tenant_id = ? AND key = ?'
  return db.get<{ counted: number }>(sql, tenant_id, key)?.counted ?? 0
}

function addSlots(db: Connection, slots: readonly LeftSlot[]): void {
  const add = db.prepare(
    `INSERT INTO slot (tenant_id, key, version, counted, named) VALUES (?, ?, 0, ?, '[]')
     ON CONFLICT (tenant_id, key) DO UPDATE SET counted = counted + excluded.counted`,
  )
  for (const [tenant_id, key, count] of slots) if (count !== 0) add.run(tenant_id, key, count)
}
