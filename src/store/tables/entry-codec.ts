// The entries of one transaction, as one text: `{"patterns": [...], "entries": [...]}`. Most of them say the same of other
// jobs. What they have in common is a pattern, written once; an entry is the place of its pattern and what is its own:
//
//   pattern  [event, tenant_id, kind, end, path, timestamp, adapter, error_type, error_message, traceback,
//             retry_count, max_retries, actor, reason, step_id, attempt_no]
//   entry    [place of the pattern, name, duration_seconds, more, doc_id, job_id], without what is null at its end
//
// With an `end`, the name is the job's, and the id is the name with that end; else the name is the id. With a `step_id`, the
// metadata is that, `attempt_no` and the lease in `more`; else `more` is the metadata. The view `events` reads the same.
import { type AuditEntry, type AuditRecord, expandHop, hopsOf } from '../../core/audit.ts'
import { addDurations, DurationRollup, type EntrySketches } from '../../core/durations.ts'
import type { Birth } from '../../core/job/birth.ts'
import { Stride } from '../../core/job/stride.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { fromEpochSeconds } from '../../core/time.ts'
import { Tags } from './chunk-tags.ts'
import type { Chunk, NewChunk } from './log-parts.ts'

type Pattern = readonly [
  event: AuditEntry['event'],
  tenant_id: string,
  kind: AuditEntry['kind'],
  end: string | null,
  path: AuditEntry['path'],
  timestamp: number,
  adapter: string,
  error_type: string | null,
  error_message: string | null,
  traceback: string | null,
  retry_count: number,
  max_retries: number,
  actor: string,
  reason: string | null,
  step_id: string | null,
  attempt_no: number | null,
]

type Own = readonly [
  pattern: number,
  name: string,
  duration_seconds: number | null,
  more: Json,
  doc_id?: string | null,
  job_id?: string | null,
]

/** What is told of something: an entry, or all that a stride tells. */
export type Told = AuditEntry | Stride

/** @param births jobs of which is told before all else */
export function encodeChunk(told: readonly Told[], births: readonly Birth[] = []): NewChunk {
  const patterns = new Patterns()
  let places = 0
  let first_at = Number.POSITIVE_INFINITY
  let last_at = 0
  const owns: string[] = []
  for (const birth of births) {
    const { form, now } = birth
    places += hopsOf(form.entry)
    if (now < first_at) first_at = now
    if (now > last_at) last_at = now
    owns.push(patterns.textOfBirth(birth))
  }
  for (let index = 0; index < told.length; index++) {
    const entry = told[index] as Told
    if (entry instanceof Stride) {
      const { leg, now } = entry
      places += leg.places
      if (now < first_at) first_at = now
      if (now > last_at) last_at = now
      patterns.addTextsOf(entry, owns)
      continue
    }
    places += hopsOf(entry)
    const at = fromEpochSeconds(entry.timestamp)
    if (at < first_at) first_at = at
    if (at > last_at) last_at = at
    owns.push(JSON.stringify(patterns.ownOf(entry)))
  }
  const text = `{"patterns":${JSON.stringify(patterns.all)},"entries":[${owns.join(',')}]}`
  const sketch = JSON.stringify(patterns.durations.toFields())
  return { entries: text, places, first_at, last_at, tags: patterns.tags.all(), sketch }
}

/** As many of the last ones are looked at: after that another one is cheaper. */
const MOST_LOOKED_AT = 8

/** What was told of the last one that went this way: the next one is mostly like it. */
interface ToldOfLeg {
  readonly now: number
  readonly owns: readonly Own[]
}

/** The same of a job that was born, as a text: its name is in the middle. */
interface ToldOfBirth {
  readonly own: Own
  readonly before: string
  readonly after: string
}

class Patterns {
  readonly all: Pattern[] = []
  readonly tags = new Tags()
  readonly durations = new DurationRollup()
  readonly #sketches: EntrySketches[] = []
  /** The job that was told of last, and what was said: the next one is mostly like it. */
  #born: Birth | null = null
  #ofBorn: ToldOfBirth | null = null
  readonly #ofLegs = new Map<Stride['leg'], ToldOfLeg>()

  textOfBirth(birth: Birth): string {
    const { form, now, job_id } = birth
    if (form !== this.#born?.form || now !== this.#born.now) {
      const own = this.ownOf(birth.entry)
      const [place, , duration_seconds, more, ...rest] = own
      this.#born = rest.length > 0 ? null : birth
      const after = JSON.stringify([duration_seconds, more]).slice(1)
      this.#ofBorn = { own, before: `[${place},`, after: `,${after}` }
      return JSON.stringify(own)
    }
    const { own, before, after } = this.#ofBorn as ToldOfBirth
    addDurations(this.#sketches[own[0]] as EntrySketches, own[2])
    return `${before}"${job_id}"${after}`
  }

  /** Of those that go the same way at the same time the same is told. */
  addTextsOf(stride: Stride, all: string[]): void {
    const { leg, now, job_id, lease_id } = stride
    const told = this.#ofLegs.get(leg)
    if (told?.now !== now) {
      const owns = stride.audit.map((entry) => this.ownOf(entry))
      for (const own of owns) all.push(JSON.stringify(own))
      if (leg.change.audit.every(isPlainlyOfAttempt)) this.#ofLegs.set(leg, { now, owns })
      return
    }
    const { audit } = leg.change
    const name = JSON.stringify(job_id)
    const lease = JSON.stringify(lease_id)
    for (let nth = 0; nth < audit.length; nth++) {
      const entry = audit[nth] as AuditEntry
      const [place] = told.owns[nth] as Own
      const seconds = stride.secondsOf(entry)
      addDurations(this.#sketches[place] as EntrySketches, seconds)
      all.push(`[${place},${name},${seconds},${entry.metadata.lease_id === null ? 'null' : lease}]`)
    }
  }

  ownOf(entry: AuditEntry): Own {
    const { id, job_id, doc_id, duration_seconds, metadata } = entry
    const isAttempt = tellsOfAttempt(metadata)
    const end = endOf(entry)
    const step_id = isAttempt ? (metadata.step_id as string) : null
    const attempt_no = isAttempt ? (metadata.attempt_no as number) : null
    const place = this.#placeOf(entry, end, step_id, attempt_no)
    addDurations(this.#sketches[place] as EntrySketches, duration_seconds)
    const more = isAttempt ? (metadata.lease_id as Json) : metadata
    const name = end === null ? id : (job_id as string)
    if (end === null && job_id !== null) return [place, name, duration_seconds, more, doc_id, job_id]
    return doc_id === null
      ? [place, name, duration_seconds, more]
      : [place, name, duration_seconds, more, doc_id]
  }

  #placeOf(entry: AuditEntry, end: string | null, step_id: string | null, attempt_no: number | null): number {
    const { all } = this
    for (let place = all.length - 1; place >= 0 && place >= all.length - MOST_LOOKED_AT; place--) {
      const pattern = all[place] as Pattern
      const isOfAttempt = pattern[14] === step_id && pattern[15] === attempt_no
      if (isOfAttempt && pattern[3] === end && fits(pattern, entry)) return place
    }
    this.tags.add(entry)
    this.#sketches.push(this.durations.sketchesOf(entry))
    return all.push(patternOf(entry, end, step_id, attempt_no)) - 1
  }
}

function patternOf(
  entry: AuditEntry,
  end: string | null,
  step_id: string | null,
  attempt_no: number | null,
): Pattern {
  const { event, tenant_id, kind, path, timestamp, adapter, error_type, error_message, traceback } = entry
  const { retry_count, max_retries, actor, reason } = entry
  return [
    event,
    tenant_id,
    kind,
    end,
    path,
    timestamp,
    adapter,
    error_type,
    error_message,
    traceback,
    retry_count,
    max_retries,
    actor,
    reason,
    step_id,
    attempt_no,
  ]
}

function fits(pattern: Pattern, entry: AuditEntry): boolean {
  return (
    pattern[2] === entry.kind &&
    pattern[5] === entry.timestamp &&
    pattern[0] === entry.event &&
    pattern[1] === entry.tenant_id &&
    pattern[6] === entry.adapter &&
    pattern[7] === entry.error_type &&
    pattern[8] === entry.error_message &&
    pattern[9] === entry.traceback &&
    pattern[10] === entry.retry_count &&
    pattern[11] === entry.max_retries &&
    pattern[12] === entry.actor &&
    pattern[13] === entry.reason &&
    isSamePath(pattern[4], entry.path)
  )
}

function isSamePath(a: AuditEntry['path'], b: AuditEntry['path']): boolean {
  if (a.length !== b.length) return false
  for (let hop = 0; hop < a.length; hop++) if (a[hop] !== b[hop]) return false
  return true
}

/** Nothing but which attempt at which step, as nearly all that is told of jobs. */
function tellsOfAttempt(metadata: JsonObject): boolean {
  let fields = 0
  for (const _ in metadata) if (++fields > 3) return false
  return (
    fields === 3 &&
    typeof metadata.step_id === 'string' &&
    typeof metadata.attempt_no === 'number' &&
    metadata.lease_id !== undefined
  )
}

/** It says nothing of a document, and its id begins with that of its job. */
function isPlainlyOfAttempt(entry: AuditEntry): boolean {
  return tellsOfAttempt(entry.metadata) && entry.doc_id === null && endOf(entry) !== null
}

/** What its id has after the name of its job, if it begins with that. */
function endOf({ id, job_id }: AuditEntry): string | null {
  if (job_id === null || !id.startsWith(job_id)) return null
  return id.length === job_id.length ? '' : id.slice(job_id.length)
}

/** All records of a chunk, in order. */
export function recordsOf({ first_seq, entries }: Chunk): readonly AuditRecord[] {
  const records: AuditRecord[] = []
  let seq = first_seq
  for (const entry of entriesOf(entries)) {
    for (let hop = 0; hop < hopsOf(entry); hop++) records.push(expandHop(entry, hop, seq++))
  }
  return records
}

export function entriesOf(text: string): readonly AuditEntry[] {
  const { patterns, entries } = JSON.parse(text) as {
    readonly patterns: readonly Pattern[]
    readonly entries: readonly Own[]
  }
  return entries.map((own) => entryOf(patterns[own[0]] as Pattern, own))
}

/** Texts that follow each other, as one. */
export function joinedEntries(texts: readonly string[]): string {
  const patterns: Pattern[] = []
  const entries: Own[] = []
  for (const text of texts) {
    const part = JSON.parse(text) as {
      readonly patterns: readonly Pattern[]
      readonly entries: readonly Own[]
    }
    const shift = patterns.length
    patterns.push(...part.patterns)
    for (const [place, name, duration_seconds, ...more] of part.entries) {
      entries.push([place + shift, name, duration_seconds, ...more])
    }
  }
  return JSON.stringify({ patterns, entries })
}

function entryOf(pattern: Pattern, own: Own): AuditEntry {
  const [event, tenant_id, kind, end, path, timestamp, adapter, error_type, error_message] = pattern
  const [, name, duration_seconds, more, doc_id = null, job_id = null] = own
  const step_id = pattern[14]
  return {
    event,
    tenant_id,
    kind,
    id: end === null ? name : name + end,
    doc_id,
    job_id: end === null ? job_id : name,
    path,
    timestamp,
    adapter,
    error_type,
    error_message,
    traceback: pattern[9],
    retry_count: pattern[10],
    max_retries: pattern[11],
    duration_seconds,
    metadata:
      step_id === null
        ? (more as JsonObject)
        : { step_id, attempt_no: pattern[15] as number, lease_id: more },
    actor: pattern[12],
    reason: pattern[13],
  }
}
