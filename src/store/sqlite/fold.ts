// What is in the tail is put where it is found. Rows of the tail are read and made one before anybody else is kept from writing; what
// they come to is written then, unless somebody else has done so meanwhile.
import type { NewChunk } from '../tables/log-parts.ts'
import type { WriteSet } from '../tables/tables.ts'
import { MergedParts, type MergedSlot } from '../tables/tail/merged-parts.ts'
import { setIn } from '../tables/tail/part-text.ts'
import type { Folded } from '../tables/tail/tail.ts'
import { putClaims } from './claims.ts'
import type { Connection } from './connection.ts'
import { foldJobs, foldRecords } from './fold-aggregates.ts'
import { joinedParts } from './joined-parts.ts'
import { count, putInLog } from './log.ts'
import { foldedOf, hasTail, type TailRow, tailRows } from './tail.ts'
import { putRows } from './write-rows.ts'
import { changeDue, changeReady } from './write-work.ts'

/** Some of the tail, from its beginning. */
export interface Fold {
  /** Up to where everything was where it is found. */
  readonly from: number
  readonly last: TailRow
  readonly merged: MergedParts
  readonly parts: ReturnType<typeof joinedParts>
}

/** Null when there is nothing in the tail. @param characters how much it is to be, more or less */
export function prepareFold(db: Connection, characters = Number.POSITIVE_INFINITY): Fold | null {
  const { seq: from } = foldedOf(db)
  const sets: { readonly first_seq: number; readonly set: WriteSet }[] = []
  let last: TailRow | null = null
  let left = characters
  for (const row of tailRows(db, from)) {
    sets.push({ first_seq: row.first_seq, set: setIn(row.part) })
    last = row
    left -= row.part.length
    if (left <= 0) break
  }
  if (last === null) return null
  const parts = joinedParts(sets.map(({ first_seq, set }) => ({ ...(set.chunk as NewChunk), first_seq })))
  const merged = new MergedParts()
  let part = 0
  for (const { first_seq, set } of sets) {
    while ((parts[part + 1]?.first_seq ?? Number.POSITIVE_INFINITY) <= first_seq) part++
    merged.add(set, (parts[part] as (typeof parts)[number]).first_seq)
  }
  return { from, last, merged, parts }
}

/** Within a transaction that writes. Does nothing when somebody else has put some of it in its place. */
export function writeFold(db: Connection, { from, last, merged, parts }: Fold): void {
  const head = foldedOf(db)
  if (head.seq !== from) return
  for (const part of parts) putInLog(db, part.first_seq, part)
  foldJobs(db, merged)
  foldRecords(db, merged)
  putRows(db, [...merged.rows.values()])
  putClaims(db, merged.claims)
  merged.slots.forEach((slot) => {
    addSlot(db, slot)
  })
  changeReady(db, merged.ready)
  changeDue(db, merged.due)
  count(db, [...merged.counts.entries()])
  const seq = last.first_seq + last.places - 1
  db.run('DELETE FROM tail WHERE first_seq <= ?', last.first_seq)
  const sql = 'UPDATE head SET seq = ?, at = max(at, ?), records = records + ?'
  db.run(sql, seq, last.at, seq - from)
}

/** All of it. Within a transaction that writes. */
export function foldAll(db: Connection): void {
  while (hasTail(db)) {
    const fold = prepareFold(db)
    if (fold !== null) writeFold(db, fold)
  }
}

export function foldedUpTo(db: Connection): Folded {
  return { seq: foldedOf(db).seq, isAll: !hasTail(db) }
}

function addSlot(db: Connection, { tenant_id, key, add, named }: MergedSlot): void {
  const list = named === null ? null : JSON.stringify(named.list)
  const changes = named?.changes ?? 0
  const sql = `
    INSERT INTO slot (tenant_id, key, version, counted, named) VALUES (?1, ?2, ?3, ?4, coalesce(?5, '[]'))
    ON CONFLICT (tenant_id, key) DO UPDATE SET
      counted = counted + ?4, version = version + ?3, named = coalesce(?5, named)`
  db.run(sql, tenant_id, key, changes, add, list)
}
