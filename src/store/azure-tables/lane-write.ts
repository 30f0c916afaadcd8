// What several changes have to be put into a lane, as the rows of one write; or of several, where they are too many: what
// is to be found comes first, and what is no longer true goes last, so that the line in between can be relied on.

import { toIso } from '../../core/time.ts'
import type { LanePlaces, Logged } from './azure-cell.ts'
import { fittedRow, type NextRow } from './cell-rows.ts'
import type { LaneEntry } from './lane.ts'
import { addedTo, countRows, type LaneCounts } from './lane-counts.ts'
import { laneKey, lineKey, wakesOf } from './lane-rows.ts'
import {
  type ChangePart,
  type Line,
  lineColumns,
  type Told,
  WAKES_NOBODY,
  type Wakes,
} from './line-columns.ts'
import { MOST_ROWS_AT_ONCE, type RowWrite } from './service.ts'
import { INDEX } from './table-names.ts'
import { fitsAtOnce, groupsOfWrites } from './write-groups.ts'

/** Rows beside the lane's own. */
const MOST_ROWS = MOST_ROWS_AT_ONCE - 1
/** Characters of history in one line, roughly. */
const LONGEST_LINE = 100_000

export interface LaneState {
  readonly seq: number
  /** Epoch milliseconds of the last line. */
  readonly at: number
  /** Records of the history in its lines. */
  readonly records: number
  readonly removed: number
  /** Lines of other lanes that its own rest on. */
  readonly seen: LanePlaces
  readonly counts: LaneCounts
}

export interface LaneWrite {
  /** Before the line, with it, and after it. */
  readonly early: readonly (readonly RowWrite[])[]
  readonly main: readonly RowWrite[]
  readonly late: readonly (readonly RowWrite[])[]
  readonly lines: readonly Line[]
  /** The line in which each entry ends. */
  readonly places: readonly number[]
  readonly next: LaneState
}

export function laneWrite(
  lane: number,
  state: LaneState,
  entries: readonly LaneEntry[],
  now: number,
): LaneWrite {
  const { lines, places } = linesOf(lane, state, entries, Math.max(now, state.at + 1))
  const counts = addedTo(
    state.counts,
    entries.flatMap((entry) => entry.counts),
  )
  const pk = laneKey(lane)
  const rows = [
    ...lines.map((line) =>
      insertOf(fittedRow({ table: INDEX, pk, rk: lineKey(line.seq) }, lineColumns(line, line.at))),
    ),
    ...countRows(counts).map(putOf),
  ]
  const { adds, drops } = indexChanges(entries, places, lines.at(-1)?.at ?? state.at)
  const fits = fitsAtOnce([...rows, ...adds, ...drops], MOST_ROWS)
  const removed = entries.reduce((sum, { retires = 0 }) => sum + retires, 0)
  const told = lines.reduce((sum, line) => sum + recordCount(line), 0)
  return {
    early: fits ? [] : groupsOfWrites(adds, MOST_ROWS),
    main: fits ? [...rows, ...adds, ...drops] : rows,
    late: fits ? [] : groupsOfWrites(drops, MOST_ROWS),
    lines,
    places,
    next: {
      seq: lines.at(-1)?.seq ?? state.seq,
      at: lines.at(-1)?.at ?? state.at,
      records: state.records + told - removed,
      removed: state.removed + removed,
      seen: entries.reduce((seen, { after }) => latest(seen, after), state.seen),
      counts: new Map([...state.counts, ...counts]),
    },
  }
}

/** The later of both, for each lane. */
export function latest(a: LanePlaces, b: LanePlaces): LanePlaces {
  if (Object.keys(b).length === 0) return a
  const places: { [lane: string]: number } = { ...a }
  for (const [lane, seq] of Object.entries(b)) places[lane] = Math.max(places[lane] ?? 0, seq)
  return places
}

function recordCount({ entries }: Told): number {
  return entries.reduce((sum, [, entry]) => sum + entry.path.length - 1, 0)
}

/** What is told is put into lines of about the same length; an entry that tells nothing finishes with the next line all the same. */
function linesOf(
  lane: number,
  state: LaneState,
  entries: readonly LaneEntry[],
  at: number,
): { readonly lines: readonly Line[]; readonly places: readonly number[] } {
  const drafts: DraftLine[] = []
  const places: number[] = []
  for (const entry of entries) {
    if (entry.change !== null) addTo(drafts, entry, entry.change)
    places.push(state.seq + drafts.length)
  }
  const lines = drafts.map((draft, n) => ({ ...draft, lane, seq: state.seq + 1 + n, at: at + n }))
  return { lines, places }
}

interface DraftLine extends Told {
  readonly entries: Logged[]
  readonly touched: Told['touched'][number][]
  readonly changes: ChangePart[]
  after: LanePlaces
  wakes: Wakes
  chars: number
}

function addTo(
  drafts: DraftLine[],
  { entries, touched, after, adds, jobs = {} }: LaneEntry,
  change: string,
): void {
  let last = roomy(drafts)
  let from = last.entries.length
  for (const logged of entries) {
    const next = roomy(drafts)
    if (next !== last) {
      last.changes.push([change, from, last.entries.length])
      from = 0
      last = next
    }
    last.entries.push(logged)
    last.chars += JSON.stringify(logged).length
  }
  const part = [change, from, last.entries.length] as const
  last.changes.push(Object.keys(jobs).length === 0 ? part : [...part, jobs])
  last.touched.push(...touched)
  last.after = latest(last.after, after)
  last.wakes = both(last.wakes, wakesOf(adds))
}

function both(a: Wakes, b: Wakes): Wakes {
  const dues = [a.due, b.due].filter((due) => due !== null)
  return {
    queues: [...new Set([...a.queues, ...b.queues])],
    due: dues.length === 0 ? null : Math.min(...dues),
  }
}

/** The last line, or another one where that is long enough. */
function roomy(drafts: DraftLine[]): DraftLine {
  const last = drafts.at(-1)
  if (last !== undefined && last.chars < LONGEST_LINE) return last
  const draft: DraftLine = { entries: [], touched: [], changes: [], after: {}, wakes: WAKES_NOBODY, chars: 0 }
  drafts.push(draft)
  return draft
}

/** What is put and removed again in the same write was never there. */
function indexChanges(
  entries: readonly LaneEntry[],
  places: readonly number[],
  at: number,
): { readonly adds: RowWrite[]; readonly drops: RowWrite[] } {
  const adds = new Map<string, NextRow>()
  const drops = new Set<string>()
  for (const [n, entry] of entries.entries()) {
    const line = { line: places[n] as number, line_at: toIso(at) }
    for (const row of entry.adds) {
      adds.set(row.rk, { rk: row.rk, columns: { ...row.columns, ...line } })
      drops.delete(row.rk)
    }
    for (const rk of entry.drops) if (!adds.delete(rk)) drops.add(rk)
  }
  return {
    adds: Array.from(adds.values(), putOf),
    drops: Array.from(drops, (rk) => ({ verb: 'delete', rk }) as const),
  }
}

const insertOf = ({ rk, columns }: NextRow): RowWrite => ({ verb: 'insert', rk, columns })
const putOf = ({ rk, columns }: NextRow): RowWrite => ({ verb: 'put', rk, columns })
