// The end of the log. A write that comes alone adds one row to `tail`, which says all there is: the head, the counts, what the
// part is found by. After so many of them all are folded into the tables that things are found in, small ones as one part of the
// log: a row there touches pages all over the database, and many at once touch few more than one. A large part goes there at
// once, with all before it.
import type { CountEntry } from '../live/state-counts.ts'
import type { Head, NewChunk } from '../tables/tables.ts'
import type { Connection } from './connection.ts'
import { Fault } from './fault.ts'
import { joinedParts } from './joined-parts.ts'
import { type LeftInTail, NOTHING_LEFT, placeAll } from './left-in-tail.ts'

/** Parts that wait in the tail: whoever reads the log looks through all of them. */
const MOST_IN_TAIL = 64

/** Places of a part that is large enough to be worth its own rows. */
const LARGE_PART = 64

/** What a write leaves beside its part of the log. */
interface Left {
  readonly counts: readonly CountEntry[]
  /** Epoch milliseconds. */
  readonly at: number
}

type LeftCount = readonly [tenant_id: string, kind: CountEntry['kind'], state: string, n: number]

/** The same where it is a row of the tail: with what else is left there. */
export interface LeftWithPart extends LeftInTail {
  readonly ready: string
  readonly claims: string
}

interface LastInTail extends Pick<Head, 'at' | 'records'>, LeftInTail {
  readonly first_seq: number
  readonly places: number
  readonly nth: number
}

/** The head, how many parts are in the tail, and what is left there. */
export interface TailHead extends Head, LeftInTail {
  readonly inTail: number
}

export function headOf(db: Connection): TailHead {
  const folded = db.get<Head>('SELECT seq, at, records, removed FROM head')
  if (folded === undefined) throw new Fault('damaged', 'the table head has no row')
  const last = db.get<LastInTail>(
    'SELECT first_seq, places, at, records, nth, ready_left, slots FROM tail ORDER BY first_seq DESC LIMIT 1',
  )
  if (last === undefined) return { ...folded, inTail: 0, ...NOTHING_LEFT }
  return {
    seq: last.first_seq + last.places - 1,
    at: Math.max(last.at, folded.at),
    records: last.records,
    removed: folded.removed,
    inTail: last.nth,
    ready_left: last.ready_left,
    slots: last.slots,
  }
}

/** Adds a part to the log. */
export function append(
  db: Connection,
  before: TailHead,
  chunk: NewChunk,
  left: Left,
  withPart: LeftWithPart,
): TailHead {
  const head = {
    seq: before.seq + chunk.places,
    at: Math.max(before.at, left.at),
    records: before.records + chunk.places,
    removed: before.removed,
  }
  if (isLarge(chunk)) {
    fold(db)
    putInLog(db, before.seq + 1, chunk)
    count(db, left.counts)
    db.run('UPDATE head SET seq = ?, at = ?, records = ?', head.seq, head.at, head.records)
    return { ...head, inTail: 0, ...NOTHING_LEFT }
  }
  seeThatThereAre(db, left.counts)
  putInTail(db, before, head, chunk, { ...withPart, counts: left.counts })
  const inTail = before.inTail + 1
  if (inTail < MOST_IN_TAIL)
    return { ...head, inTail, ready_left: withPart.ready_left, slots: withPart.slots }
  fold(db)
  return { ...head, inTail: 0, ...NOTHING_LEFT }
}

/** Whether a part has rows of its own at once, and nothing of it is left in the tail. */
export function isLarge({ places }: NewChunk): boolean {
  return places >= LARGE_PART
}

/** A write that tells of nothing. */
export function passBy(
  db: Connection,
  before: TailHead,
  { counts, at }: Left,
  { ready_left, slots }: LeftInTail,
): TailHead {
  const head = { ...before, at: Math.max(before.at, at), ready_left, slots }
  if (head.at > before.at) db.run('UPDATE head SET at = ?', head.at)
  count(db, counts)
  return head
}

/** Moves everything to where it is found. The log has it once, before and after. */
export function fold(db: Connection, join = joinedParts): void {
  const { inTail, seq, at, records } = headOf(db)
  if (inTail === 0) return
  db.lastHead.forget()
  for (const part of join(tailOf(db))) putInLog(db, part.first_seq, part)
  count(db, countsIn(db))
  placeAll(db)
  db.run('DELETE FROM tail')
  db.run('UPDATE head SET seq = ?, at = ?, records = ?', seq, at, records)
}

/** What is counted in the tail. */
function countsIn(db: Connection): readonly CountEntry[] {
  const sums = new Map<string, CountEntry>()
  // Those who write again and again mostly count the same.
  const sql = 'SELECT counts, count(*) AS times FROM tail GROUP BY counts'
  for (const { counts, times } of db.all<{ counts: string; times: number }>(sql)) {
    for (const [tenant_id, kind, state, n] of JSON.parse(counts) as readonly LeftCount[]) {
      const name = `${tenant_id}\n${kind}\n${state}`
      sums.set(name, { tenant_id, kind, state, n: n * times + (sums.get(name)?.n ?? 0) })
    }
  }
  return [...sums.values()]
}

export function countsOf(db: Connection): readonly CountEntry[] {
  return db.all<CountEntry>(
    `SELECT tenant_id, kind, state, sum(n) AS n FROM (
       SELECT tenant_id, kind, state, n FROM state_count
       UNION ALL
       SELECT each.value ->> 0, each.value ->> 1, each.value ->> 2, each.value ->> 3
       FROM tail, json_each(tail.counts) AS each
     ) GROUP BY tenant_id, kind, state HAVING sum(n) <> 0`,
  )
}

export interface TailPart {
  readonly first_seq: number
  readonly places: number
  readonly first_at: number
  readonly last_at: number
  readonly tags: readonly string[]
  readonly sketch: string
  readonly entries: string
}

/** In order. Of one moment: later they may be in the log. */
export function tailOf(db: Connection): readonly TailPart[] {
  const sql =
    'SELECT first_seq, places, first_at, last_at, tags, sketch, entries FROM tail ORDER BY first_seq'
  const parsed = new Map<string, readonly string[]>()
  return db.all<Omit<TailPart, 'tags'> & { tags: string }>(sql).map((row) => {
    const tags: readonly string[] = parsed.get(row.tags) ?? JSON.parse(row.tags)
    parsed.set(row.tags, tags)
    return { ...row, tags }
  })
}

function count(db: Connection, counts: readonly CountEntry[]): void {
  for (const { tenant_id, kind, state, n } of counts) {
    db.run(
      `INSERT INTO state_count (tenant_id, kind, state, n) VALUES (?, ?, ?, ?)
       ON CONFLICT (tenant_id, kind, state) DO UPDATE SET n = n + excluded.n`,
      tenant_id,
      kind,
      state,
      n,
    )
  }
}

function putInLog(db: Connection, first_seq: number, chunk: NewChunk): void {
  const { places, first_at, last_at, sketch, entries, tags } = chunk
  db.run(
    'INSERT INTO log (first_seq, places, first_at, last_at, reach, sketch, entries) VALUES (?, ?, ?, ?, ?, ?, ?)',
    first_seq,
    places,
    first_at,
    last_at,
    Math.max(last_at, reachOf(db)),
    sketch,
    entries,
  )
  const add = 'INSERT OR IGNORE INTO log_tag (tag, first_seq) VALUES (?, ?)'
  for (const tag of tags) db.run(add, tag, first_seq)
}

/** The latest time that the log tells of. */
function reachOf(db: Connection): number {
  return db.get<{ reach: number }>('SELECT reach FROM log ORDER BY first_seq DESC LIMIT 1')?.reach ?? 0
}

function putInTail(
  db: Connection,
  before: TailHead,
  { at, records }: Head,
  chunk: NewChunk,
  { counts, ready, ready_left, slots, claims }: LeftWithPart & Pick<Left, 'counts'>,
): void {
  db.run(
    `INSERT INTO tail (first_seq, places, first_at, last_at, at, records, nth, counts, tags, sketch, entries,
       ready, ready_left, slots, claims)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    before.seq + 1,
    chunk.places,
    chunk.first_at,
    chunk.last_at,
    at,
    records,
    before.inTail + 1,
    JSON.stringify(counts.map(({ tenant_id, kind, state, n }): LeftCount => [tenant_id, kind, state, n])),
    JSON.stringify(chunk.tags),
    chunk.sketch,
    chunk.entries,
    ready,
    ready_left,
    slots,
    claims,
  )
}

/** Who looks for all tenants, or for how much there is of something, goes by the rows that there are. */
function seeThatThereAre(db: Connection, counts: readonly CountEntry[]): void {
  const sql = 'SELECT 1 FROM state_count WHERE tenant_id = ? AND kind = ? AND state = ?'
  for (const { tenant_id, kind, state } of counts) {
    const name = `${tenant_id}\n${kind}\n${state}`
    if (db.isKeptRow(name)) continue
    if (db.get(sql, tenant_id, kind, state) !== undefined) {
      db.keepRow(name)
      continue
    }
    db.run('INSERT INTO state_count (tenant_id, kind, state, n) VALUES (?, ?, ?, 0)', tenant_id, kind, state)
  }
}
