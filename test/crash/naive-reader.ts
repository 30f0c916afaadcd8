// Reads a ledger's files as docs/journal-format.md describes them, in the plainest way there is, and shares no code with
// what it judges: no import from src/, and all of every file is read and looked at.
import { type JsonObject, naiveDelta, readDelta } from './naive/delta-file.ts'
import { expand, type HistoryRecord } from './naive/history-record.ts'
import { NaiveState } from './naive/naive-state.ts'
import { readSealed } from './naive/sealed-file.ts'
import { readSnapshot } from './naive/snapshot-file.ts'

export type { JsonObject }

/** Path and content of every file of a disk. */
export type Files = ReadonlyMap<string, Uint8Array>

export interface NaiveLedger {
  readonly state: NaiveState
  /** One record per state passed through, from the oldest that is kept. */
  readonly history: readonly HistoryRecord[]
  readonly lastSeq: number
  /** The time of the last line; 0 when there is none. Lines of old history may have gone. */
  readonly lastMs: number
  /** The snapshot that was used; null when all of them were bad, or there is none. */
  readonly snapshot: string | null
  /** Where a crash cut off a batch in the newest delta. */
  readonly tornAt: number | null
}

interface Named {
  readonly path: string
  readonly first: number
  readonly last: number
}

/** Throws when the files contradict themselves anywhere but in the last batch of the newest delta. */
export function readLedger(files: Files, folder: string): NaiveLedger {
  const { snapshots, segments, deltas } = listed(files, folder)
  const { state, snapshot } = newestGood(files, snapshots)
  const history: HistoryRecord[] = []
  let next = segments[0]?.first ?? deltas[0]?.first ?? state.seq + 1
  let tornAt: number | null = null
  const read = (path: string, lines: readonly JsonObject[]) => {
    for (const line of lines) {
      if (line.seq !== next) throw new Error(`${path}: seq ${next} should come, and ${line.seq} does`)
      const { records, places } = expand(line)
      history.push(...records)
      next += places
      if (next - 1 > state.seq) state.apply(line, next - 1)
    }
  }
  for (const { path, last } of segments) {
    read(path, readSealed(path, bytesOf(files, path)))
    if (next !== last + 1) throw new Error(`${path}: ends with seq ${next - 1}`)
  }
  for (const [index, { path, first }] of deltas.entries()) {
    if (first !== next) throw new Error(`${path}: seq ${next} should come`)
    const delta = naiveDelta(readDelta(path, bytesOf(files, path), first), index === deltas.length - 1)
    read(path, delta.lines)
    tornAt = delta.tornAt
  }
  if (next - 1 < state.seq)
    throw new Error(`the history ends with ${next - 1}, the snapshot with ${state.seq}`)
  const lastMs = Math.round(Number(history.at(-1)?.timestamp ?? 0) * 1000)
  return { state, history, lastSeq: next - 1, lastMs, snapshot, tornAt }
}

/** Segments are listed oldest first; a delta that was sealed and is still there counts no more. */
function listed(files: Files, folder: string) {
  const found = (pattern: RegExp): Named[] =>
    [...files.keys()]
      .flatMap((path) => {
        const match = path.startsWith(`${folder}/`) ? pattern.exec(path.slice(folder.length + 1)) : null
        return match === null ? [] : { path, first: Number(match[1]), last: Number(match[2] ?? match[1]) }
      })
      .sort((a, b) => a.first - b.first || (a.path < b.path ? -1 : 1))
  const segments = found(/^audit\/(\d{15})-(\d{15})\.jsonl\.gz$/)
  const sealed = segments.at(-1)?.last ?? 0
  return {
    snapshots: found(/^snapshot-[^-]+-(\d{15})\.json\.gz$/),
    segments,
    deltas: found(/^delta-(\d{15})\.jsonl$/).filter(({ first }) => first > sealed),
  }
}

function newestGood(files: Files, snapshots: readonly Named[]) {
  for (const { path } of snapshots.toReversed()) {
    const state = readSnapshot(bytesOf(files, path))
    if (state !== null) return { state, snapshot: path }
  }
  return { state: new NaiveState(), snapshot: null }
}

function bytesOf(files: Files, path: string): Buffer {
  const bytes = files.get(path)
  if (bytes === undefined) throw new Error(`${path} is gone`)
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}
