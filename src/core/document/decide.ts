import type { AuditEntry } from '../audit.ts'
import { change, type Decision, type Given, need, refuse } from '../decision.ts'
import { requestClaim } from '../idempotency.ts'
import { EMPTY, type JsonObject } from '../json.ts'
import { isEdge, nextStates } from '../machine.ts'
import { type DocumentState, documentMachine } from '../machines/document.ts'
import { present } from '../must.ts'
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
  /** The same key again changes nothing, whatever has become of the document since. */
  readonly request_key?: string | undefined
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
  given: Pick<Given, 'now' | 'get' | 'ownerOf'>,
): Decision<DocumentRecord> {
  const before = given.get('document', command.tenant_id, command.doc_id)
  if (before === undefined) {
    return need([{ kind: 'document', tenant_id: command.tenant_id, id: command.doc_id }])
  }
  if (command.request_key === undefined) return decideMove(command, before, given.now)
  const { tenant_id, doc_id, state } = command
  const key = requestClaim('update', command.request_key)
  const owner = given.ownerOf({ tenant_id, key })
  if (owner !== undefined) return answerRepeated(command, before, given.now, owner)
  const decision = decideMove(command, before, given.now)
  if (decision.kind !== 'change') return decision
  const claims = [{ tenant_id, key, owner: ownerName(state, doc_id) }]
  return { ...decision, change: { ...decision.change, claims } }
}

/** What a key was used for: no state has a space in it. */
function ownerName(state: DocumentState, doc_id: string): string {
  return `${state} ${doc_id}`
}

/** It was done before: the document is what has become of it since. */
function answerRepeated(
  command: UpdateDocument,
  before: DocumentRecord | null,
  now: number,
  owner: string,
): Decision<DocumentRecord> {
  const { doc_id, state, request_key } = command
  if (owner !== ownerName(state, doc_id)) return refuseOtherUse(command, before, now, owner)
  const document = present(before, 'an update that was made left a document')
  const { retry_count, max_retries } = document
  const entry = documentEntry(
    { ...command, state: document.state },
    document,
    now,
    'ignored',
    retry_count,
    max_retries,
  )
  return change(document, { audit: [{ ...entry, metadata: { request_key: request_key as string } }] })
}

function decideMove(
  command: UpdateDocument,
  before: DocumentRecord | null,
  now: number,
): Decision<DocumentRecord> {
  if (command.if_match !== undefined && command.if_match !== (before?.etag ?? '')) {
    return refuseDocument(command, before, now, 'STALE_ETAG')
  }
  const from = before?.state ?? documentMachine.initial
  const declared = isEdge(documentMachine, from, command.state)
  if (!declared && command.validate !== false) {
    return refuseDocument(command, before, now, 'INVALID_STATE_TRANSITION')
  }
  const after = moveDocument(command, before, now)
  const audit = documentEntry(command, before, now, 'moved', after.retry_count, after.max_retries)
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
  event: 'moved' | 'refused' | 'ignored',
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

function refuseOtherUse(
  command: UpdateDocument,
  before: DocumentRecord | null,
  now: number,
  owner: string,
): Decision<never> {
  const { retry_count, max_retries } = retriesOf(before)
  const entry = documentEntry(command, before, now, 'refused', retry_count, max_retries)
  const [state, doc_id] = [owner.slice(0, owner.indexOf(' ')), owner.slice(owner.indexOf(' ') + 1)]
  return refuse(
    {
      code: 'IDEMPOTENCY_CONFLICT',
      message: `The request key ${command.request_key} was used to move document ${doc_id} to ${state}`,
      field: 'request_key',
      next: 'Use a new key for a new update, or send the same update again.',
      details: { kind: 'document', id: doc_id, state },
    },
    { ...entry, metadata: { ...entry.metadata, refusal: 'IDEMPOTENCY_CONFLICT' } },
  )
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
