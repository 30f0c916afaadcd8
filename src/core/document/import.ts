import type { AuditEntry } from '../audit.ts'
import { type Claim, change, type Decision, type Given, need } from '../decision.ts'
import type { Json, JsonObject } from '../json.ts'
import { isEdge } from '../machine.ts'
import { type DocumentState, documentMachine } from '../machines/document.ts'
import { fromEpochSeconds, toEpochSeconds } from '../time.ts'
import type { LegacyFinding, PastTransition } from './legacy-line.ts'
import type { DocumentRecord } from './record.ts'
import { retriesAfter } from './retries.ts'

/**
 * Take over transitions that happened before, elsewhere, with the times that they had. Nothing is refused: what the
 * machine does not declare happened all the same, and the history says so.
 *
 * The claim makes it happen once: whoever asks for the same again is told who was first, and nothing is written.
 */
export interface ImportDocuments {
  readonly type: 'importDocuments'
  readonly tenant_id: string
  /** In the order in which they happened. */
  readonly past: readonly PastTransition[]
  /** Why the history has them, one by one: where they come from. Empty when nobody will read it. */
  readonly reasons: readonly string[]
  readonly claim: Omit<Claim, 'tenant_id'>
  readonly actor: string
}

export interface ImportAnswer {
  /** False when somebody was first. */
  readonly imported: boolean
  readonly owner: string
  /** What the reader ought to know; `index` is that of the transition. */
  readonly findings: readonly ImportFinding[]
  /** Documents that were not there before. */
  readonly created: number
  /** By how much the number of documents in each state has changed. */
  readonly moves: { readonly [state in DocumentState]?: number }
}

export interface ImportFinding extends LegacyFinding {
  readonly index: number
}

export function decideImport(command: ImportDocuments, given: Given): Decision<ImportAnswer> {
  const { tenant_id, past, claim } = command
  const owner = given.ownerOf({ tenant_id, key: claim.key })
  if (owner !== undefined) {
    return change({ imported: false, owner, findings: [], created: 0, moves: {} }, {})
  }
  const taking = new Taking(command, given)
  for (const step of past) taking.add(step)
  if (taking.missing.size > 0) {
    return need(Array.from(taking.missing, (id) => ({ kind: 'document', tenant_id, id }) as const))
  }
  const { puts, audit } = taking
  return change(taking.answer(), { puts: [...puts.values()], audit, claims: [{ tenant_id, ...claim }] })
}

/** What becomes of the documents, transition by transition. */
class Taking {
  readonly puts = new Map<string, DocumentRecord>()
  readonly audit: AuditEntry[] = []
  /** Documents that were not loaded: what was made of the others counts for nothing then. */
  readonly missing = new Set<string>()
  readonly #command: ImportDocuments
  readonly #given: Given
  /** Epoch seconds. */
  readonly #now: number
  readonly #findings: ImportFinding[] = []
  readonly #moves: { [state in DocumentState]?: number } = {}
  #created = 0

  constructor(command: ImportDocuments, given: Given) {
    this.#command = command
    this.#given = given
    this.#now = toEpochSeconds(given.now)
  }

  add(step: PastTransition): void {
    const { doc_id, state } = step
    const before = this.puts.get(doc_id) ?? this.#given.get('document', this.#command.tenant_id, doc_id)
    if (before === undefined) {
      this.missing.add(doc_id)
      return
    }
    const entry = this.#entryOf(step, before)
    this.audit.push(entry)
    this.puts.set(doc_id, documentAfter(step, before, entry))
    if (before === null) this.#created++
    else this.#moves[before.state] = (this.#moves[before.state] ?? 0) - 1
    this.#moves[state] = (this.#moves[state] ?? 0) + 1
  }

  answer(): ImportAnswer {
    const { owner } = this.#command.claim
    return { imported: true, owner, findings: this.#findings, created: this.#created, moves: this.#moves }
  }

  #entryOf(step: PastTransition, before: DocumentRecord | null): AuditEntry {
    const { tenant_id, actor, reasons } = this.#command
    // One whose beginning is in another log came from where the line says.
    const from = before?.state ?? step.old_state ?? documentMachine.initial
    const timestamp = this.#timeOf(step, before)
    const { retry_count, max_retries } = retriesAfter(before, step.state, step)
    return {
      event: 'moved',
      tenant_id,
      kind: 'document',
      id: step.doc_id,
      doc_id: step.doc_id,
      job_id: null,
      path: [from, step.state],
      timestamp,
      adapter: step.adapter,
      error_type: step.error_type,
      error_message: step.error_message,
      traceback: step.traceback,
      retry_count,
      max_retries,
      duration_seconds: step.duration_seconds ?? secondsBetween(before, timestamp),
      metadata: this.#metadataOf(step, from, before, timestamp),
      actor,
      reason: reasons[this.audit.length] ?? null,
    }
  }

  /** Not before the document's last transition, or durations would be negative; not in the future, or the clock would follow it. */
  #timeOf({ at, doc_id }: PastTransition, before: DocumentRecord | null): number {
    const last = before === null ? 0 : before.updated_at
    if (at < last) {
      this.#tell('time_went_back', `${doc_id} goes back by ${secondsFrom(at, last)} s`)
      return last
    }
    if (at <= this.#now || at === last) return at
    this.#tell('time_in_future', `${doc_id} is ${secondsFrom(this.#now, at)} s ahead`)
    return Math.max(last, this.#now)
  }

  #metadataOf(
    { doc_id, state, old_state, at, metadata, marks }: PastTransition,
    from: DocumentState,
    before: DocumentRecord | null,
    timestamp: number,
  ): JsonObject {
    // Most lines have an old name for their state and nothing else: one copy is all that they cost.
    let marked: { [name: string]: Json } | null = marks && { ...metadata, ...marks }
    if (timestamp !== at) {
      marked ??= { ...metadata }
      marked.original_timestamp = at
    }
    if (old_state !== null && old_state !== from) {
      marked ??= { ...metadata }
      marked.original_old_state = old_state
      this.#tell('old_state_differs', `${doc_id} was ${from}, not ${old_state}`)
    }
    // A log may well begin with a document that waits.
    if (!isEdge(documentMachine, from, state) && !(before === null && state === from)) {
      marked ??= { ...metadata }
      marked.validated = false
      if (from === state) this.#tell('same_state', `${doc_id} was ${state} already`)
      else this.#tell('undeclared_edge', `${doc_id} went from ${from} to ${state}`)
    }
    return marked ?? metadata
  }

  #tell(kind: LegacyFinding['kind'], what: string): void {
    this.#findings.push({ index: this.audit.length, kind, what })
  }
}

function documentAfter(
  { doc_id, state, brings }: PastTransition,
  before: DocumentRecord | null,
  entry: AuditEntry,
): DocumentRecord {
  return {
    kind: 'document',
    tenant_id: entry.tenant_id,
    doc_id,
    state,
    updated_at: entry.timestamp,
    adapter: entry.adapter,
    metadata: before === null ? brings : laidOver(before.metadata, brings),
    retry_count: entry.retry_count,
    max_retries: entry.max_retries,
    error_type: entry.error_type,
    error_message: entry.error_message,
    etag: '',
  }
}

/** Mostly every line of a document brings the same again, and then nothing is copied. */
function laidOver(base: JsonObject, top: JsonObject): JsonObject {
  for (const name in top) if (base[name] !== top[name]) return { ...base, ...top }
  return base
}

function secondsBetween(before: DocumentRecord | null, timestamp: number): number | null {
  return before === null ? null : secondsFrom(before.updated_at, timestamp)
}

/** In whole milliseconds. */
function secondsFrom(earlier: number, later: number): number {
  return toEpochSeconds(fromEpochSeconds(later) - fromEpochSeconds(earlier))
}
