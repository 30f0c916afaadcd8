import type { Connection } from './connection.ts'
import { foldAll } from './fold.ts'
import { foldedOf } from './tail.ts'
import { countOf } from './take.ts'

/** Parts of the log that are removed at once, before others have their turn. */
const PARTS_AT_ONCE = 500

/** Tags that are cleaned up at once. */
const TAGS_AT_ONCE = 200

interface Removed {
  readonly records: number
  readonly isDone: boolean
}

/**
 * Removes the oldest parts of the log whose every entry is older, and says so in the head. Only what comes before
 * everything that stays is removed: the log has no gaps.
 */
export function removeHistory(db: Connection, keepFrom: number): Removed {
  foldAll(db)
  const sql = 'SELECT first_seq, places, last_at FROM log ORDER BY first_seq LIMIT ?'
  const parts = db.all<{ first_seq: number; places: number; last_at: number }>(sql, PARTS_AT_ONCE)
  const kept = parts.findIndex(({ last_at }) => last_at >= keepFrom)
  const old = kept === -1 ? parts : parts.slice(0, kept)
  const last = old.at(-1)
  if (last === undefined) return { records: 0, isDone: true }
  const records = old.reduce((sum, { places }) => sum + places, 0)
  const removed = last.first_seq + last.places - 1
  db.run('DELETE FROM log WHERE first_seq <= ?', last.first_seq)
  db.run('UPDATE head SET records = records - ?, removed = ?', records, removed)
  return { records, isDone: kept !== -1 || parts.length < PARTS_AT_ONCE }
}

/** Tags of parts that are gone. Answers where to go on; null at the end. */
export function removeTags(db: Connection, after: string): string | null {
  const { removed } = foldedOf(db)
  const next = 'SELECT tag FROM log_tag WHERE tag > ? ORDER BY tag LIMIT 1'
  let tag: string | undefined = after
  for (let count = 0; count < TAGS_AT_ONCE; count++) {
    tag = db.get<{ tag: string }>(next, tag)?.tag
    if (tag === undefined) return null
    db.run('DELETE FROM log_tag WHERE tag = ? AND first_seq <= ?', tag, removed)
  }
  return tag
}

/** More forms than most programs have: they are gone through when there are more, as nobody says when one is needed no more. */
const MOST_FORMS = 1000

/** Within a transaction that writes. Whoever needs one of them finds out as after any write in place, and puts it there again. */
export function removeForms(db: Connection): void {
  if (countOf(db, 'form', MOST_FORMS + 1) <= MOST_FORMS) return
  foldAll(db)
  db.run('DELETE FROM form')
  db.run('UPDATE head SET turn = turn + 1')
}

/** Outside of a transaction. Somebody who reads may be in the way of the second: then another time. */
export function tidy(db: Connection): void {
  db.all('PRAGMA optimize')
  db.all('PRAGMA wal_checkpoint(TRUNCATE)')
}

/**
 * Outside of a transaction. Nearly all of it is taken over in nobody's way; then what was written meanwhile, which is little,
 * while nobody writes. Only when all of it is taken over does the log begin anew.
 */
export function checkpoint(db: Connection): void {
  db.all('PRAGMA wal_checkpoint(PASSIVE)')
  db.all('PRAGMA wal_checkpoint(FULL)')
}
