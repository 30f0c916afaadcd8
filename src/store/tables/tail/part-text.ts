// A write as it stands in the tail: one text of JSON, which the views read as such.
//
//   [ head, entries, runs, strides, born, changed, records, closed ]
//
//   head     [places, first_at, last_at, at, tags, sketch, ready, due, claims, slots, counts], ready and due as [adds, drops]
//   entries  what the log has of it (entry-codec.ts)
//   runs     of new jobs that are alike: [what they have in common, [piece, …], [value, …], [value, …], …]; what a job was when it
//            was new is the pieces with its values in between
//   strides  of jobs that went the same way: [what they have in common, [piece, …], ["job_id", value, …], …]; what differs by now from
//            what it was is the pieces with its values in between, after which come the rank it was ready with, and when it was due
//   born     other new jobs: ["job_id", columns, fixed, moving]
//   changed  ["job_id", columns, moving]
//   records  [columns, body]
//   closed   [columns, body]
//
// Where it is cut apart: part-marks.ts.
import { withBorn } from '../birth-runs.ts'
import type { NewChunk } from '../log-parts.ts'
import type { WriteSet } from '../tables.ts'
import { headText, readHead } from './part-head.ts'
import { bornJob, bornText, changedJob, changedText } from './part-jobs.ts'
import { around, cutAt, Heads, linesOf, piecesIn, SECTIONS } from './part-marks.ts'
import { changedRecord, closedRow, closedText, recordText } from './part-records.ts'
import { readRun, runText, stridesText, withStrides } from './part-runs.ts'

export function partText(set: WriteSet, chunk: NewChunk): string {
  const sections = [
    headText(set, chunk),
    chunk.entries,
    linesOf(set.runs, runText),
    linesOf(set.strides, stridesText),
    bornText(set.newJobs),
    changedText(set.jobs),
    linesOf(set.records, recordText),
    linesOf(set.rows, closedText),
  ]
  return around(SECTIONS, sections)
}

/** What a part says; what only matters when it is written is not in it. Every new job has a row. */
export function setIn(part: string): WriteSet {
  const [
    head = '',
    entries = '',
    runs = '',
    strides = '',
    born = '',
    changed = '',
    records = '',
    closed = '',
  ] = cutAt(SECTIONS, part)
  const heads = new Heads()
  const set = {
    ...readHead(head, entries),
    runs: [],
    strides: [],
    newJobs: piecesIn(born).map((pieces) => bornJob(pieces, heads)),
    jobs: piecesIn(changed).map((pieces) => changedJob(pieces, heads)),
    records: piecesIn(records).map(changedRecord),
    rows: piecesIn(closed).map(closedRow),
    waits: { adds: [], drops: [] },
    refusals: [],
    signals: [],
    delivered: [],
    verify: [],
    inbox: [],
    isNews: true,
  }
  return withBorn(withStrides(set, piecesIn(strides)), piecesIn(runs).flatMap(readRun))
}
