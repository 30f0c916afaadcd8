// The entries of one transaction, as one text: a list of lists, each with the fields of an entry in a fixed order. The
// view `events` has the same order.
import { type AuditEntry, type AuditRecord, expandHop, hopsOf } from '../../core/audit.ts'
import { DurationRollup } from '../../core/durations.ts'
import { fromEpochSeconds } from '../../core/time.ts'
import type { AuditQuery } from '../query.ts'
import type { Chunk, NewChunk } from './tables.ts'

/** In this order; positions are part of the format. */
const ENTRY_FIELDS = [
  'event',
  'tenant_id',
  'kind',
  'id',
  'doc_id',
  'job_id',
  'path',
  'timestamp',
  'adapter',
  'error_type',
  'error_message',
  'traceback',
  'retry_count',
  'max_retries',
  'duration_seconds',
  'metadata',
  'actor',
  'reason',
] as const satisfies readonly (keyof AuditEntry)[]

export function encodeChunk(entries: readonly AuditEntry[]): NewChunk {
  const tags = new Tags()
  const rollup = new DurationRollup()
  let places = 0
  let first_at = Number.POSITIVE_INFINITY
  let last_at = 0
  const lists: unknown[][] = []
  for (const entry of entries) {
    places += hopsOf(entry)
    const at = fromEpochSeconds(entry.timestamp)
    if (at < first_at) first_at = at
    if (at > last_at) last_at = at
    rollup.addEntry(entry)
    tags.add(entry)
    lists.push([
      entry.event,
      entry.tenant_id,
      entry.kind,
      entry.id,
      entry.doc_id,
      entry.job_id,
      entry.path,
      entry.timestamp,
      entry.adapter,
      entry.error_type,
      entry.error_message,
      entry.traceback,
      entry.retry_count,
      entry.max_retries,
      entry.duration_seconds,
      entry.metadata,
      entry.actor,
      entry.reason,
    ])
  }
  const sketch = JSON.stringify(rollup.toFields())
  return { entries: JSON.stringify(lists), places, first_at, last_at, tags: tags.all(), sketch }
}

/** Longest text that is made a tag of: databases take no long keys into an index. */
const LONGEST_TAG = 100

const MARKS = ['t', 'k', 'v', 'a', 'u', 'e', 's'] as const

type TagMark = (typeof MARKS)[number]

/** What cannot be told apart by its tag is told apart when the entries are read. */
function tag(mark: TagMark, text: string): string {
  const short = text.length > LONGEST_TAG ? text.slice(0, LONGEST_TAG) : text
  return mark + (PLAIN.test(short) ? short : short.toWellFormed().replaceAll('\0', ' '))
}

const PLAIN = /^[ -~]*$/

/** What is in a chunk, by mark. Most of its entries say the same: each thing is made a tag once. */
class Tags {
  readonly #texts = new Map<TagMark, Set<string>>(MARKS.map((mark) => [mark, new Set()]))

  add(entry: AuditEntry): void {
    this.#add('t', entry.tenant_id)
    this.#add('k', entry.kind)
    this.#add('v', entry.event)
    this.#add('a', entry.adapter)
    this.#add('u', entry.actor)
    if (entry.error_type !== null) this.#add('e', entry.error_type)
    for (let hop = 1; hop < entry.path.length; hop++) this.#add('s', entry.path[hop] as string)
  }

  all(): readonly string[] {
    const tags = new Set<string>()
    for (const [mark, texts] of this.#texts) for (const text of texts) tags.add(tag(mark, text))
    return [...tags]
  }

  #add(mark: TagMark, text: string): void {
    ;(this.#texts.get(mark) as Set<string>).add(text)
  }
}

/** Tags that a chunk has if anything in it is asked for. */
export function tagsOf(query: AuditQuery): readonly string[] {
  const { tenant_id, kind, event, adapter, actor, error_type, state } = query
  const asked = { t: tenant_id, k: kind, v: event, a: adapter, u: actor, e: error_type, s: state }
  return Object.entries(asked).flatMap(([mark, text]) =>
    text === undefined ? [] : [tag(mark as TagMark, text)],
  )
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

function entriesOf(text: string): readonly AuditEntry[] {
  const lists = JSON.parse(text) as unknown[][]
  return lists.map((list) => {
    const entry: { [field: string]: unknown } = {}
    for (const [index, field] of ENTRY_FIELDS.entries()) entry[field] = list[index]
    return entry as unknown as AuditEntry
  })
}
