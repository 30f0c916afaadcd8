import type { AuditEntry } from '../audit.ts'
import { change, type Decision, type Given, need, refuse } from '../decision.ts'
import { EMPTY, type JsonObject } from '../json.ts'
import { isEdge, nextStates } from '../machine.ts'
import { type DocumentState, documentMachine } from '../machines/document.ts'
import type { RefusalCode } from '../refusal.ts'
import { fromEpochSeconds, toEpochSeconds } from '../time.ts'
import type { DocumentRecord } from './record.ts'
import { retriesAfter, retriesOf } from './retries.ts'
import { documentTopic } from './topic.ts'

/** Move a document to a state. The only way a document changes. */
export interface UpdateDocument {
  readonly type: 'updateDocument'
  readonly tenant_id: string
  readonly doc_id: string
  readonly state: DocumentState
  readonly actor: string
  readonly reason: string | null
  /** Kept from the document when absent, like the retry numbers. */
  readonly adapter?: string | undefined
  /** Laid over what the document has; the history keeps just this. */
  readonly metadata?: JsonObject | undefined
  readonly error?: ErrorContext | undefined
  readonly retry_count?: number | undefined
  readonly max_retries?: number | undefined
  readonly if_match?: string | undefined
  /** False records edges that the machine does not declare, and says so in the history. */
  readonly validate?: boolean | undefined
}

export interface ErrorContext {
  readonly error_type: string
  readonly error_message: string
  readonly traceback: string | null
}

export function decideDocument(
  command: UpdateDocument,
  given: Pick<Given, 'now' | 'get'>,
): Decision<DocumentRecord> {
  const before = given.get('document', command.tenant_id, command.doc_id)
  if (before === undefined) {
    return need([{ kind: 'document', tenant_id: command.tenant_id, id: command.doc_id }])
  }
  if (command.if_match !== undefined && command.if_match !== (before?.etag ?? '')) {
    return refuseDocument(command, before, given.now, 'STALE_ETAG')
  }
  const from = before?.state ?? documentMachine.initial
  const declared = isEdge(documentMachine, from, command.state)
  if (!declared && command.validate !== false) {
    return refuseDocument(command, before, given.now, 'INVALID_STATE_TRANSITION')
  }
  const after = moveDocument(command, before, given.now)
  const audit = documentEntry(command, before, given.now, 'moved', after.retry_count, after.max_retries)
  const { tenant_id, doc_id } = command
  return change(after, {
    puts: [after],
    audit: [declared ? audit : unvalidated(audit)],
    // Jobs may stand at a gate until something becomes of it.
    signals: [{ tenant_id, topic: documentTopic(doc_id) }],
  })
}

function moveDocument(command: UpdateDocument, before: DocumentRecord | null, now: number): DocumentRecord {
  const { retry_count, max_retries } = retriesAfter(before, command.state, command)
  return {
    kind: 'document',
    tenant_id: command.tenant_id,
    doc_id: command.doc_id,
    state: command.state,
    updated_at: toEpochSeconds(now),
    adapter: command.adapter ?? before?.adapter ?? '',
    metadata: overlay(before?.metadata, command.metadata),
    retry_count,
    max_retries,
    error_type: command.error?.error_type ?? null,
    error_message: command.error?.error_message ?? null,
    etag: '',
  }
}

function overlay(base: JsonObject | undefined, top: JsonObject | undefined): JsonObject {
  if (top === undefined) return base ?? EMPTY
  return base === undefined ? top : { ...base, ...top }
}

function documentEntry(
  command: UpdateDocument,
  before: DocumentRecord | null,
  now: number,
  event: 'moved' | 'refused',
  retryCount: number,
  maxRetries: number,
): AuditEntry {
  return {
    event,
    tenant_id: command.tenant_id,
    kind: 'document',
    id: command.doc_id,
    doc_id: command.doc_id,
    job_id: null,
    path: [before?.state ?? documentMachine.initial, command.state],
    timestamp: toEpochSeconds(now),
    adapter: command.adapter ?? before?.adapter ?? '',
    error_type: command.error?.error_type ?? null,
    error_message: command.error?.error_message ?? null,
    traceback: command.error?.traceback ?? null,
    retry_count: retryCount,
    max_retries: maxRetries,
    duration_seconds: before === null ? null : toEpochSeconds(now - fromEpochSeconds(before.updated_at)),
    metadata: command.metadata ?? EMPTY,
    actor: command.actor,
    reason: command.reason,
  }
}

function unvalidated(entry: AuditEntry): AuditEntry {
  return { ...entry, metadata: { ...entry.metadata, validated: false } }
}

function refuseDocument(
  command: UpdateDocument,
  before: DocumentRecord | null,
  now: number,
  code: RefusalCode & ('STALE_ETAG' | 'INVALID_STATE_TRANSITION'),
): Decision<never> {
  const from = before?.state ?? documentMachine.initial
  const legal = [...nextStates(documentMachine, from)]
  const { retry_count, max_retries } = retriesOf(before)
  const entry = documentEntry(command, before, now, 'refused', retry_count, max_retries)
  const audit = { ...entry, metadata: { ...entry.metadata, refusal: code } }
  const details = { kind: 'document', id: command.doc_id, from, to: command.state, legal }
  if (code === 'STALE_ETAG') {
    return refuse(
      {
        code,
        message: `Document ${command.doc_id} has changed since etag ${command.if_match} was read`,
        field: 'if_match',
        next: 'Read it again, look at what changed, and repeat the update with the new etag.',
        details: { ...details, etag: before?.etag ?? null },
      },
      audit,
    )
  }
  return refuse(
    {
      code,
      message: `Document ${command.doc_id} cannot go from ${from} to ${command.state}`,
      field: 'state',
      next:
        legal.length > 0
          ? `From ${from} it may go to: ${legal.join(', ')}.`
          : `${from} is final: nothing follows.`,
      details,
    },
    audit,
  )
}
