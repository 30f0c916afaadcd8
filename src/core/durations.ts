import type { AuditEntry, AuditRecord } from './audit.ts'
import type { RecordKind } from './machines/all.ts'
import { fromEpochSeconds } from './time.ts'

/**
 * How long records stay in their states. A sketch forgets the single durations and keeps how many fell into each of
 * a set of buckets that is the same for all sketches. Everything in it is a whole number, so sketches that are
 * merged in any order, in any number of steps, are the same sketch.
 *
 * A bucket is one millisecond wide below 128, and from there on every power of two is cut into 64. What is read
 * off the middle of a bucket is less than 0.8 % off.
 */
export interface DurationSketch {
  count: number
  sum_ms: number
  max_ms: number
  /** How many durations are in each bucket; those without any are absent. */
  readonly buckets: Map<number, number>
}

/** Durations that are counted together. */
export interface DurationGroup {
  readonly tenant_id: string
  readonly kind: RecordKind
  /** The state that was left. */
  readonly state: string
  readonly adapter: string
}

/** A sketch as plain JSON. Buckets stand under their number, in order. */
export interface SketchFields {
  readonly count: number
  readonly sum_ms: number
  readonly max_ms: number
  readonly buckets: { readonly [bucket: string]: number }
}

export type RollupFields = readonly (DurationGroup & SketchFields)[]

/** What gets a row of its own: each adapter of a state, or just the state. */
export type DurationsBy = 'adapter' | 'state'

/** What is told of a state, for one kind of record and one adapter. */
export interface DurationRow {
  /** Present when one tenant was asked for; else the row is about all of them. */
  readonly tenant_id?: string
  readonly kind: RecordKind
  /** The state that was left. */
  readonly state: string
  /** Null when all adapters are counted as one. */
  readonly adapter: string | null
  readonly count: number
  readonly mean_seconds: number
  readonly p50_seconds: number
  readonly p95_seconds: number
  readonly p99_seconds: number
  readonly max_seconds: number
}

const BITS = 6
const PARTS = 1 << BITS
const WORD = 2 ** 32

export function emptySketch(): DurationSketch {
  return { count: 0, sum_ms: 0, max_ms: 0, buckets: new Map() }
}

/** In place: a history has millions of durations. A clock that was set back makes no duration negative. */
export function addDuration(sketch: DurationSketch, duration_ms: number): void {
  const ms = Math.max(0, Math.round(duration_ms))
  sketch.count++
  sketch.sum_ms += ms
  sketch.max_ms = Math.max(sketch.max_ms, ms)
  addTo(sketch.buckets, bucketOf(ms), 1)
}

/** Where the durations of an entry are counted: one for each state that was left, null for one that is not known. */
export type EntrySketches = readonly (DurationSketch | null)[]

/** The first state lasted so long, if that is known; those that were only passed through took no time. */
export function addDurations(sketches: EntrySketches, duration_seconds: number | null): void {
  for (let hop = 0; hop < sketches.length; hop++) {
    const sketch = sketches[hop] as DurationSketch | null
    const seconds = hop === 0 ? duration_seconds : 0
    if (sketch !== null && seconds !== null) addDuration(sketch, fromEpochSeconds(seconds))
  }
}

/** Adds everything in `other`, in place. */
export function mergeSketch(sketch: DurationSketch, other: DurationSketch): void {
  sketch.count += other.count
  sketch.sum_ms += other.sum_ms
  sketch.max_ms = Math.max(sketch.max_ms, other.max_ms)
  for (const [bucket, n] of other.buckets) addTo(sketch.buckets, bucket, n)
}

/** The duration that the share `q` of all durations does not exceed: of 100, the 95th smallest for 0.95. */
export function quantileMs({ count, max_ms, buckets }: DurationSketch, q: number): number {
  let left = Math.max(1, Math.ceil(q * count))
  for (const bucket of [...buckets.keys()].sort((a, b) => a - b)) {
    left -= buckets.get(bucket) as number
    if (left <= 0) return Math.min(max_ms, middleOf(bucket))
  }
  return max_ms
}

export function sketchFields({ buckets, ...rest }: DurationSketch): SketchFields {
  // Objects have whole numbers in order, whatever the order in which they came.
  return { ...rest, buckets: Object.fromEntries(buckets) }
}

export function sketchOf({ count, sum_ms, max_ms, buckets }: SketchFields): DurationSketch {
  const entries = Object.entries(buckets).map(([bucket, n]) => [Number(bucket), n] as const)
  return { count, sum_ms, max_ms, buckets: new Map(entries) }
}

/** Sketches by tenant, kind, state and adapter. */
export class DurationRollup {
  readonly #groups = new Map<string, { readonly group: DurationGroup; readonly sketch: DurationSketch }>()

  /** How many groups there are. */
  get size(): number {
    return this.#groups.size
  }

  /** Counts the time that a record stayed in the state it left; what did not move or just came to be has none. */
  add({ event, duration_seconds, old_state, tenant_id, kind, adapter }: AuditRecord): void {
    if (event !== 'moved' || duration_seconds === null || old_state === null) return
    addDuration(this.#sketch(tenant_id, kind, old_state, adapter), fromEpochSeconds(duration_seconds))
  }

  /** Counts all records of an entry, without making them: an entry of a history of millions, read at a stretch. */
  addEntry(entry: AuditEntry): void {
    addDurations(this.sketchesOf(entry), entry.duration_seconds)
  }

  /** For all entries like this one, which may differ in how long the first state lasted. */
  sketchesOf({ event, path, tenant_id, kind, adapter }: AuditEntry): EntrySketches {
    const sketches: (DurationSketch | null)[] = []
    if (event !== 'moved') return sketches
    for (let hop = 0; hop < path.length - 1; hop++) {
      const left = path[hop] ?? null
      sketches.push(left === null ? null : this.#sketch(tenant_id, kind, left, adapter))
    }
    return sketches
  }

  merge({ tenant_id, kind, state, adapter }: DurationGroup, sketch: DurationSketch): void {
    mergeSketch(this.#sketch(tenant_id, kind, state, adapter), sketch)
  }

  /** Sorted, so that the same durations always give the same text. */
  toFields(): RollupFields {
    return [...this.#groups.values()]
      .filter(({ sketch }) => sketch.count > 0)
      .sort((a, b) => compare(a.group.tenant_id, b.group.tenant_id) || compareGroups(a.group, b.group))
      .map(({ group, sketch }) => ({ ...group, ...sketchFields(sketch) }))
  }

  /** By kind, state and adapter; tenants are counted as one unless there is just the one that was asked for. */
  rows({ tenant_id, by = 'adapter' }: RowsQuery = {}): readonly DurationRow[] {
    const merged = new DurationRollup()
    for (const { group, sketch } of this.#groups.values()) {
      if (sketch.count === 0 || (tenant_id !== undefined && group.tenant_id !== tenant_id)) continue
      const adapter = by === 'adapter' ? group.adapter : ''
      merged.merge({ ...group, tenant_id: tenant_id ?? '', adapter }, sketch)
    }
    return [...merged.#groups.values()]
      .sort((a, b) => compareGroups(a.group, b.group))
      .map(({ group, sketch }) => rowOf(group, sketch, tenant_id, by))
  }

  #sketch(tenant_id: string, kind: RecordKind, state: string, adapter: string): DurationSketch {
    // Kinds and states have no newlines; with its length before it, a tenant may be called anything.
    const key = `${kind}\n${state}\n${tenant_id.length}\n${tenant_id}${adapter}`
    let found = this.#groups.get(key)
    if (found === undefined) {
      found = { group: { tenant_id, kind, state, adapter }, sketch: emptySketch() }
      this.#groups.set(key, found)
    }
    return found.sketch
  }
}

interface RowsQuery {
  readonly tenant_id?: string | undefined
  readonly by?: DurationsBy | undefined
}

function rowOf(
  group: DurationGroup,
  sketch: DurationSketch,
  tenant_id: string | undefined,
  by: DurationsBy,
): DurationRow {
  const { kind, state } = group
  return {
    ...(tenant_id === undefined ? null : { tenant_id }),
    kind,
    state,
    adapter: by === 'adapter' ? group.adapter : null,
    count: sketch.count,
    mean_seconds: sketch.sum_ms / sketch.count / 1000,
    p50_seconds: quantileMs(sketch, 0.5) / 1000,
    p95_seconds: quantileMs(sketch, 0.95) / 1000,
    p99_seconds: quantileMs(sketch, 0.99) / 1000,
    max_seconds: sketch.max_ms / 1000,
  }
}

function addTo(buckets: Map<number, number>, bucket: number, n: number): void {
  buckets.set(bucket, (buckets.get(bucket) ?? 0) + n)
}

/** Below 128 the number itself; above, its first seven bits and how many more it has. Whole numbers only. */
function bucketOf(ms: number): number {
  const length = ms < WORD ? 32 - Math.clz32(ms) : 64 - Math.clz32(ms / WORD)
  const shift = Math.max(0, length - BITS - 1)
  return shift * PARTS + Math.floor(ms / 2 ** shift)
}

function middleOf(bucket: number): number {
  const shift = Math.max(0, Math.floor(bucket / PARTS) - 1)
  const width = 2 ** shift
  return (bucket - shift * PARTS) * width + (width - 1) / 2
}

function compareGroups(a: DurationGroup, b: DurationGroup): number {
  return compare(a.kind, b.kind) || compare(a.state, b.state) || compare(a.adapter, b.adapter)
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
