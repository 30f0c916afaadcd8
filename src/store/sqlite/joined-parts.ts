import { DurationRollup, type RollupFields, sketchOf } from '../../core/durations.ts'
import { joinedEntries } from '../tables/entry-codec.ts'
import type { NewChunk } from '../tables/log-parts.ts'

/** A part of the log, and where it begins. */
export interface LogPart extends NewChunk {
  readonly first_seq: number
}

/** Places that parts have together at most: whoever looks for one entry reads all of them. */
const MOST_PLACES = 64

/** Time that they tell of together at most: they are found by it. */
const LONGEST_MS = 60_000

/** Parts that follow each other as a few larger ones: most of what a part costs is the rows that it is found by. */
export function joinedParts(parts: readonly LogPart[]): readonly LogPart[] {
  const joined: LogPart[] = []
  for (let at = 0; at < parts.length; ) {
    const some = together(parts, at)
    joined.push(some.length === 1 ? (some[0] as LogPart) : join(some))
    at += some.length
  }
  return joined
}

/** Those that may be one, from there on. */
function together(parts: readonly LogPart[], start: number): readonly LogPart[] {
  const first = parts[start] as LogPart
  let { places, first_at, last_at } = first
  let end = start + 1
  for (; end < parts.length; end++) {
    const next = parts[end] as LogPart
    places += next.places
    first_at = Math.min(first_at, next.first_at)
    last_at = Math.max(last_at, next.last_at)
    if (places > MOST_PLACES || last_at - first_at > LONGEST_MS) break
  }
  return parts.slice(start, end)
}

function join(parts: readonly LogPart[]): LogPart {
  return {
    first_seq: (parts[0] as LogPart).first_seq,
    places: parts.reduce((sum, { places }) => sum + places, 0),
    first_at: Math.min(...parts.map(({ first_at }) => first_at)),
    last_at: Math.max(...parts.map(({ last_at }) => last_at)),
    tags: [...new Set(parts.flatMap(({ tags }) => tags))],
    sketch: joinedSketches(parts.map(({ sketch }) => sketch).filter((sketch) => sketch !== '[]')),
    entries: joinedEntries(parts.map(({ entries }) => entries)),
  }
}

function joinedSketches(sketches: readonly string[]): string {
  if (sketches.length === 0) return '[]'
  const rollup = new DurationRollup()
  for (const sketch of sketches) {
    for (const { tenant_id, kind, state, adapter, ...fields } of JSON.parse(sketch) as RollupFields) {
      rollup.merge({ tenant_id, kind, state, adapter }, sketchOf(fields))
    }
  }
  return JSON.stringify(rollup.toFields())
}
