import type { JsonObject } from './json.ts'
import type { RecordKind } from './machines/all.ts'
import { fromIso, toEpochSeconds } from './time.ts'

/**
 * The history. The kernel writes one `AuditEntry` per record and commit, with the whole path of states that the
 * record passed through (two, when it fails and moves on at once); readers see it expanded, one `AuditRecord` per
 * state passed through.
 */
export interface AuditEntry {
  /**
   * `moved`: the state changed. `noted`: something worth knowing that did not change it, such as a failed publish.
   * `refused`: a rule said no. `ignored`: late or repeated, harmless.
   */
  readonly event: AuditEvent
  readonly tenant_id: string
  readonly kind: RecordKind
  readonly id: string
  readonly doc_id: string | null
  readonly job_id: string | null
  /** Old state first (null when the record is new), then every state entered. Refusals: [state, wanted]. */
  readonly path: readonly (string | null)[]
  /** Epoch seconds. */
  readonly timestamp: number
  /** The adapter of a document; the service or tool of anything else. */
  readonly adapter: string
  readonly error_type: string | null
  readonly error_message: string | null
  readonly traceback: string | null
  readonly retry_count: number
  readonly max_retries: number
  /** Time spent in the old state. */
  readonly duration_seconds: number | null
  readonly metadata: JsonObject
  readonly actor: string
  readonly reason: string | null
}

export const AUDIT_EVENTS = ['moved', 'noted', 'refused', 'ignored'] as const

export type AuditEvent = (typeof AUDIT_EVENTS)[number]

export interface AuditRecord extends Omit<AuditEntry, 'path'> {
  /** Place in the log. Grows along the history of any one record; along the whole log where order is total. */
  readonly seq: number
  /** The same place, as reads and subscriptions take it back. */
  readonly cursor: string
  readonly old_state: string | null
  readonly new_state: string
}

type Steered = 'event' | 'tenant_id' | 'kind' | 'id' | 'path' | 'adapter' | 'metadata' | 'actor' | 'reason'

/** An entry about something that has neither a document nor errors and retries: a queue, a schedule, a token. */
export function steeringEntry(
  told: Pick<AuditEntry, Steered>,
  now: number,
  since: string | undefined,
): AuditEntry {
  return {
    ...told,
    doc_id: null,
    job_id: null,
    timestamp: toEpochSeconds(now),
    error_type: null,
    error_message: null,
    traceback: null,
    retry_count: 0,
    max_retries: 0,
    duration_seconds: since === undefined ? null : toEpochSeconds(now - fromIso(since)),
  }
}

/** Nothing came of it. */
export function isQuiet(event: AuditEvent): boolean {
  return event === 'refused' || event === 'ignored'
}

/** How many of these a record may leave behind: a client in a loop must not fill the log. */
export const REFUSALS_KEPT_PER_RECORD = 100

/** How many audit records an entry expands to, and so how many places in the log it takes. */
export function hopsOf(entry: AuditEntry): number {
  return entry.path.length - 1
}

/** The nth state passed through. The error belongs to the last state entered, the duration to the first one left. */
export function expandHop(entry: AuditEntry, hop: number, seq: number): AuditRecord {
  const { path } = entry
  const isLast = hop === path.length - 2
  // Field by field: this is how all history is read, and copying an object with one field less is slow.
  return {
    seq,
    cursor: String(seq),
    event: entry.event,
    tenant_id: entry.tenant_id,
    kind: entry.kind,
    id: entry.id,
    doc_id: entry.doc_id,
    job_id: entry.job_id,
    old_state: path[hop] ?? null,
    new_state: path[hop + 1] as string,
    timestamp: entry.timestamp,
    adapter: entry.adapter,
    error_type: isLast ? entry.error_type : null,
    error_message: isLast ? entry.error_message : null,
    traceback: isLast ? entry.traceback : null,
    retry_count: entry.retry_count,
    max_retries: entry.max_retries,
    duration_seconds: hop === 0 ? entry.duration_seconds : 0,
    metadata: entry.metadata,
    actor: entry.actor,
    reason: entry.reason,
  }
}
