// The end of the log. A write that is added there is one row of `tail`, which says all there is (../tables/tail/part-text.ts), and nothing else is
// touched: a row in each of the tables where things are found would be a page of each to write. What is in the tail is put there
// later (fold.ts), many at once. A write in place finds nothing in the tail: it puts everything where it is found first.
import type { Claim, Signal } from '../../core/decision.ts'
import type { NewChunk } from '../tables/log-parts.ts'
import type { Head, WriteSet } from '../tables/tables.ts'
import type { FormedPart, PartForm } from '../tables/tail/part-forms.ts'
import { partText } from '../tables/tail/part-text.ts'
import { Awaited, type Mark, Moved } from '../tables/tail/tail.ts'
import { placedBirth, placedClaim } from './claims.ts'
import type { Connection } from './connection.ts'
import { Fault } from './fault.ts'

export interface TailRow {
  readonly first_seq: number
  readonly places: number
  readonly at: number
  readonly part: string
}

const COLUMNS = 'first_seq, places, at, part'

/** With forms filled in. */
const ROWS = `SELECT ${COLUMNS} FROM tail_now`

/** The last place of the log, and the ledger's time. */
const END = `coalesce((SELECT first_seq + places - 1 FROM tail ORDER BY first_seq DESC LIMIT 1), (SELECT seq FROM head))`
const AT = `coalesce((SELECT at FROM tail ORDER BY first_seq DESC LIMIT 1), (SELECT at FROM head))`

/** With what is in the tail. */
export function headOf(db: Connection): Head {
  const head = db.get<Head>(
    `SELECT ${END} AS seq, ${AT} AS at, records + ${END} - seq AS records, removed FROM head`,
  )
  if (head === undefined) throw new Fault('damaged', 'the table head has no row')
  return head
}

export function endOf(db: Connection): Mark {
  return db.get<Mark>(`SELECT turn, ${END} AS seq FROM head`) as Mark
}

/** Up to here everything is where it is found. */
export function foldedOf(db: Connection): Head & Mark {
  const head = db.get<Head & Mark>('SELECT seq, at, records, removed, turn FROM head')
  if (head === undefined) throw new Fault('damaged', 'the table head has no row')
  return head
}

export function hasTail(db: Connection): boolean {
  return db.get('SELECT 1 FROM tail LIMIT 1') !== undefined
}

/** The rows behind a place, in order. Each is read when it is asked for: it may be large. */
export function* tailRows(db: Connection, seq: number): Generator<TailRow> {
  const next = `${ROWS} WHERE first_seq > ? ORDER BY first_seq LIMIT 1`
  for (let row = db.get<TailRow>(next, seq); row !== undefined; row = db.get<TailRow>(next, row.first_seq))
    yield row
}

const APPEND = `
  INSERT INTO tail (${COLUMNS})
  SELECT ?, ?, max(?, ${AT}), ?
  WHERE (SELECT turn FROM head) = ? AND ${END} = ?`

const UNLESS_CLAIMED = `${APPEND} AND NOT EXISTS (SELECT 1 FROM claim WHERE tenant_id = ? AND key = ?)`

/**
 * Adds a write to the end. One that has a single claim, and nobody waits for, is one statement; else it is to be within a
 * transaction that writes. Answers how many characters there are.
 */
export function append(db: Connection, set: WriteSet, after: Mark): number {
  const { claims, chunk } = set
  if (chunk === null) throw new Error('a write that tells of nothing is written in place')
  const part = partText(set, chunk)
  const values = [after.seq + 1, chunk.places, set.at, part, after.turn, after.seq] as const
  const [claim] = claims
  const changes =
    claim !== undefined && claims.length === 1
      ? db.run(UNLESS_CLAIMED, ...values, claim.tenant_id, claim.key)
      : db.run(APPEND, ...values)
  if (changes === 1) return part.length
  throw notAppended(db, after, claim?.key)
}

function notAppended(db: Connection, after: Mark, key: string | undefined): Error {
  const { turn, seq } = endOf(db)
  if (turn !== after.turn || seq !== after.seq) return new Moved('the log does not end there')
  return new Fault('conflict', `the claim ${key}`)
}

/** What is known of the end of the log is right, as long as nobody has written in place, or put more than that where it is found. */
const APPEND_FORMED = `
  INSERT INTO tail (first_seq, places, at, form, part)
  SELECT ?1, ?2, ?3, ?4, ?5 FROM head WHERE turn = ?6 AND seq < ?1
    AND NOT EXISTS (SELECT 1 FROM claim WHERE tenant_id = ?7 AND key = ?8)
  ON CONFLICT DO NOTHING`

/** The same of a new job that others are like, by the form that they have. */
export function appendFormed(
  db: Connection,
  { claims, chunk, at }: WriteSet,
  { form, own }: FormedPart,
  after: Mark,
): number {
  const { tenant_id, key } = claims[0] as Claim
  const places = (chunk as NewChunk).places
  const values = [after.seq + 1, places, at, form.id, own, after.turn, tenant_id, key] as const
  if (db.run(APPEND_FORMED, ...values) === 1) return own.length
  throw notAppended(db, after, key)
}

/** Nothing is kept that there is already. */
export function keepForm(db: Connection, { id, text }: PartForm): void {
  db.run('INSERT INTO form (id, text) VALUES (?, ?) ON CONFLICT DO NOTHING', id, text)
  if (db.get('SELECT 1 FROM form WHERE id = ? AND text = ?', id, text) === undefined)
    throw new Fault('damaged', `the form ${id} is another one`)
}

/** It takes more than one statement to see whether it may be added. */
export function needsTransaction({ runs, claims, signals }: WriteSet, isAwaited: boolean): boolean {
  return runs.length > 0 || claims.length > 1 || (isAwaited && signals.length > 0)
}

/** Within a transaction that writes. */
export function appendChecked(db: Connection, set: WriteSet, after: Mark, isAwaited: boolean): number {
  mustBeFree(db, set)
  if (isAwaited && isWaitedFor(db, set.signals)) throw new Awaited('somebody waits for a signal of it')
  return append(db, set, after)
}

function mustBeFree(db: Connection, { runs, claims }: WriteSet): void {
  for (const { births } of runs) mustBeNobodys(placedBirth(db, births))
  mustBeNobodys(placedClaim(db, claims))
}

function mustBeNobodys(key: string | undefined): void {
  if (key !== undefined) throw new Fault('conflict', `the claim ${key}`)
}

function isWaitedFor(db: Connection, signals: readonly Signal[]): boolean {
  if (signals.length === 0) return false
  const sql = `
    SELECT 1 FROM json_each(?) AS signal
    JOIN wait ON wait.tenant_id = signal.value ->> 0 AND wait.topic = signal.value ->> 1 LIMIT 1`
  return db.get(sql, JSON.stringify(signals.map(({ tenant_id, topic }) => [tenant_id, topic]))) !== undefined
}
