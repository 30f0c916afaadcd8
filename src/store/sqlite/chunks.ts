import { type Chunk, type ChunkSelect, LATE_MS } from '../tables/log-parts.ts'
import type { Connection } from './connection.ts'
import { type Stretch, stretchOf } from './stretch.ts'

interface Span {
  readonly first_seq: number
  readonly places: number
  readonly first_at: number
  readonly last_at: number
}

/** Parts that are looked at before others have their turn. */
const PAGE = 1000

/** Parts of the log in order. What is asked for is found by small rows; the entries are read only of what fits. */
export async function chunks(
  db: Connection,
  select: ChunkSelect,
  turn: () => Promise<void>,
): Promise<readonly Chunk[]> {
  const found: Chunk[] = []
  let looked = 0
  for (const span of candidates(db, select)) {
    if (found.length >= select.limit) break
    if (++looked % PAGE === 0) await turn()
    if (!isWanted(span, select)) continue
    const chunk = db.get<Chunk>('SELECT first_seq, entries FROM log WHERE first_seq = ?', span.first_seq)
    if (chunk !== undefined) found.push(chunk)
  }
  return found
}

function isWanted({ first_seq, places, first_at, last_at }: Span, select: ChunkSelect): boolean {
  const { seq, isDescending, from, before } = select
  if (isDescending ? first_seq >= seq : first_seq + places - 1 <= seq) return false
  return (from === undefined || last_at >= from) && (before === undefined || first_at < before)
}

/** In order: those that are late come after all others in the log. */
function* candidates(db: Connection, select: ChunkSelect): Generator<Span> {
  if (select.ids !== undefined) {
    yield* byIds(db, select, select.ids)
    return
  }
  const stretch = stretchOf(db, select)
  if (select.isDescending) yield* late(db, select, stretch)
  yield* select.tags.length > 0 ? byTags(db, select, stretch) : all(db, select, stretch)
  if (!select.isDescending) yield* late(db, select, stretch)
}

/** Where to begin: the part that has the place, for it may have the next one too. */
function beginning(db: Connection, { seq, isDescending }: ChunkSelect): number {
  if (isDescending) return seq - 1
  const sql = 'SELECT first_seq FROM log WHERE first_seq <= ? ORDER BY first_seq DESC LIMIT 1'
  return db.get<{ first_seq: number }>(sql, seq)?.first_seq ?? seq
}

/** Within the stretch, or just before it where there is nothing of it left. */
function beginningIn(db: Connection, select: ChunkSelect, { start, end }: Stretch): number {
  const first = beginning(db, select)
  return select.isDescending ? Math.min(first, end) : Math.max(first, start)
}

function hasTags(db: Connection, tags: readonly string[], id: number): boolean {
  const sql = 'SELECT 1 FROM log_tag WHERE tag = ? AND first_seq = ?'
  return tags.every((tag) => db.get(sql, tag, id) !== undefined)
}

function* byIds(db: Connection, select: ChunkSelect, ids: readonly number[]): Generator<Span> {
  const { isDescending } = select
  const first = beginning(db, select)
  const beyond = ids.filter((id) => (isDescending ? id <= first : id >= first))
  let last: number | null = null
  for (const id of beyond.sort((a, b) => (isDescending ? b - a : a - b))) {
    const span = spanWith(db, id)
    if (span === undefined || span.first_seq === last) continue
    last = span.first_seq
    if (hasTags(db, select.tags, span.first_seq)) yield span
  }
}

/** From tag to tag, each as far as the last one is: however many parts have one of them, the rarest sets the pace. */
function* byTags(db: Connection, select: ChunkSelect, stretch: Stretch): Generator<Span> {
  const { tags, isDescending } = select
  const step = isDescending ? -1 : 1
  const sql = isDescending
    ? 'SELECT first_seq FROM log_tag WHERE tag = ? AND first_seq <= ? ORDER BY first_seq DESC LIMIT 1'
    : 'SELECT first_seq FROM log_tag WHERE tag = ? AND first_seq >= ? ORDER BY first_seq LIMIT 1'
  let id = beginningIn(db, select, stretch)
  let agreed = 0
  for (let turn = 0; ; turn = (turn + 1) % tags.length) {
    const next = db.get<{ first_seq: number }>(sql, tags[turn] as string, id)?.first_seq
    if (next === undefined || next < stretch.start || next > stretch.end) return
    agreed = next === id ? agreed + 1 : 1
    id = next
    if (agreed < tags.length) continue
    const span = spanOf(db, id)
    if (span !== undefined) yield span
    id += step
    agreed = 0
  }
}

function* all(db: Connection, select: ChunkSelect, stretch: Stretch): Generator<Span> {
  const { isDescending } = select
  const [beyond, within, order] = isDescending ? ['<=', '>=', 'DESC'] : ['>=', '<=', 'ASC']
  const sql = `
    SELECT first_seq, places, first_at, last_at FROM log INDEXED BY log_times
    WHERE first_seq ${beyond} ? AND first_seq ${within} ? ORDER BY first_seq ${order} LIMIT ?`
  const end = isDescending ? stretch.start : stretch.end
  // Most of the time the first few are all that is wanted.
  let size = Math.min(select.limit + 1, PAGE)
  let id = beginningIn(db, select, stretch)
  for (;;) {
    const page = db.all<Span>(sql, id, end, size)
    yield* page
    if (page.length < size) return
    id = (page.at(-1)?.first_seq ?? id) + (isDescending ? -1 : 1)
    size = PAGE
  }
}

/** Beyond the stretch of a time there may be parts that tell of it later. */
function* late(db: Connection, select: ChunkSelect, { start, end }: Stretch): Generator<Span> {
  const { isDescending, tags, before } = select
  if (before === undefined) return
  const sql = `
    SELECT first_seq, places, first_at, last_at FROM log INDEXED BY log_late
    WHERE first_at < reach - ${LATE_MS} AND first_seq >= ? AND first_seq <= ? AND first_at < ?
    ORDER BY first_seq ${isDescending ? 'DESC' : 'ASC'} LIMIT ${PAGE}`
  let first = Math.max(
    end + 1,
    isDescending ? start : beginningIn(db, select, { start, end: Number.MAX_SAFE_INTEGER }),
  )
  let last = isDescending ? select.seq - 1 : Number.MAX_SAFE_INTEGER
  for (;;) {
    const page = db.all<Span>(sql, first, last, before)
    for (const span of page) if (hasTags(db, tags, span.first_seq)) yield span
    const until = page.at(-1)?.first_seq
    if (until === undefined || page.length < PAGE) return
    if (isDescending) last = until - 1
    else first = until + 1
  }
}

/** The part that begins there, or has become the one that has that place. */
function spanWith(db: Connection, place: number): Span | undefined {
  const sql = `
    SELECT first_seq, places, first_at, last_at FROM log INDEXED BY log_times
    WHERE first_seq <= ? ORDER BY first_seq DESC LIMIT 1`
  const span = db.get<Span>(sql, place)
  return span !== undefined && place < span.first_seq + span.places ? span : undefined
}

function spanOf(db: Connection, first_seq: number): Span | undefined {
  const sql = 'SELECT first_seq, places, first_at, last_at FROM log INDEXED BY log_times WHERE first_seq = ?'
  return db.get<Span>(sql, first_seq)
}
