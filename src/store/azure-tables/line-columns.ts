// A line of a lane as columns: the history of the changes that were finished together, in the encoding that engines with
// tables share, and what else has to be known of them.
import type { AuditEntry, AuditRecord } from '../../core/audit.ts'
import { expandHop, hopsOf } from '../../core/audit.ts'
import { fromIso, toIso } from '../../core/time.ts'
import { encodeChunk, entriesOf } from '../tables/entry-codec.ts'
import type { JobsEtags, LanePlaces, Logged, Touched } from './azure-cell.ts'
import { seqOfLine } from './lane-rows.ts'
import { whole } from './long-columns.ts'
import type { Columns, Row } from './service.ts'

/** From is included, to is not. What came of its jobs is said with the last part. */
export type ChangePart = readonly [change: string, from: number, to: number, jobs?: JobsEtags]

/** What is told with one line. */
export interface Told {
  readonly entries: readonly Logged[]
  readonly touched: readonly Touched[]
  /** The changes that are finished with it, and which of the entries are theirs. */
  readonly changes: readonly ChangePart[]
  /** Lines of other lanes that it rests on. */
  readonly after: LanePlaces
  readonly wakes: Wakes
}

/** Who may have something to do because of it. */
export interface Wakes {
  /** Queues in which there is work. */
  readonly queues: readonly string[]
  /** Epoch milliseconds of the first thing that is due; 0 when a signal is to be delivered. */
  readonly due: number | null
}

export const WAKES_NOBODY: Wakes = { queues: [], due: null }

/** A line as it was read. */
export interface Line extends Told {
  readonly lane: number
  readonly seq: number
  /** Epoch milliseconds; later lines of a lane, and those that rest on this one, have later ones. */
  readonly at: number
}

/** The columns that say which changes a line finishes. */
export const CHANGE_COLUMNS = ['changes', 'at'] as const

export function lineColumns({ entries, touched, changes, after, wakes }: Told, at: number): Columns {
  const chunk = encodeChunk(entries.map(([, entry]) => entry))
  return {
    at: toIso(at),
    entries: chunk.entries,
    seqs: JSON.stringify(entries.map(([seq]) => seq)),
    places: chunk.places,
    ...(entries.length === 0
      ? null
      : { first_at: toIso(chunk.first_at), last_at: toIso(chunk.last_at), sketch: chunk.sketch }),
    touched: JSON.stringify(touched),
    changes: JSON.stringify(changes),
    ...(Object.keys(after).length === 0 ? null : { after: JSON.stringify(after) }),
    ...(wakes.queues.length === 0 && wakes.due === null ? null : { wakes: JSON.stringify(wakes) }),
  }
}

/** Undefined when it does not finish that change. */
export function partOf({ columns }: Row, change: string): ChangePart | undefined {
  const parts: readonly ChangePart[] = JSON.parse(String(whole(columns).changes ?? '[]'))
  return parts.findLast(([id]) => id === change)
}

export function lineOf(lane: number, row: Row): Line {
  const columns = whole(row.columns)
  const json = (name: string, otherwise: string) => JSON.parse(String(columns[name] ?? otherwise))
  const seqs = json('seqs', '[]') as readonly number[]
  const entries = entriesOf(columns.entries as string)
  return {
    lane,
    seq: seqOfLine(row.rk),
    at: fromIso(columns.at as string),
    entries: entries.map((entry, n) => [seqs[n] as number, entry] as const),
    touched: json('touched', '[]'),
    changes: json('changes', '[]'),
    after: json('after', '{}'),
    wakes: columns.wakes === undefined ? WAKES_NOBODY : json('wakes', ''),
  }
}

/** Everything that a line tells, one record for each state that was passed through. */
export function recordsOfLine({ entries }: Line): readonly AuditRecord[] {
  return entries.flatMap(recordsOfEntry)
}

export function recordsOfEntry([seq, entry]: Logged): readonly AuditRecord[] {
  return Array.from({ length: hopsOf(entry) }, (_, hop) => expandHop(entry, hop, seq + hop))
}

/** Places that there are in a millisecond. */
const PLACES_IN_MS = 2048

/** Places after each change of a record that are left for what is told of it without changing it. */
const PLACES_BETWEEN = 128

/** Places for what is told of a record that changes: later than the last one, and by the time where that will do. */
export function placed(entries: readonly AuditEntry[], last: number, now: number): readonly Logged[] {
  let end = last === 0 ? 0 : last + PLACES_BETWEEN - 1
  return entries.map((entry) => {
    const seq = Math.max(firstPlace(now), end + 1)
    end = seq + hopsOf(entry) - 1
    return [seq, entry] as const
  })
}

/** The first of a time. */
function firstPlace(now: number): number {
  return now * PLACES_IN_MS
}

/** The place of something that did not change a record, after so many others like it; of one that is not there before its first. */
export function placeBetween(last: number, before: number, now: number): number {
  return (last === 0 ? firstPlace(now) - PLACES_BETWEEN : last) + 1 + before
}

/** The last place that one of them takes. */
export function lastPlace([seq, entry]: Logged): number {
  return seq + hopsOf(entry) - 1
}
