import { type AuditEntry, hopsOf } from '../../../core/audit.ts'
import type { DocumentRecord } from '../../../core/document/record.ts'
import type { BatchBuffer } from '../batch-buffer.ts'
import type { Encodable } from './encode.ts'
import { documentFields, lineOf } from './fields.ts'

/**
 * Documents of one tenant that moved, and nothing else: what a migration commits by the thousand. A line for each entry, the
 * last of a document with what the entry does not say. Null for any other commit.
 */
export function encodeDocuments(commit: Encodable, into: BatchBuffer): number | null {
  const { change, audit, first, moves } = commit
  if (!isPlain(commit)) return null
  const lastOf = new Map<string, number>()
  for (let index = 0; index < audit.length; index++) lastOf.set((audit[index] as AuditEntry).id, index)
  if (lastOf.size !== moves.length) return null
  const told = new Array<DocumentRecord | undefined>(audit.length).fill(undefined)
  const created = new Set<string>()
  for (const { to, before } of moves) {
    const put = to as DocumentRecord
    const last = lastOf.get(put.doc_id)
    if (last === undefined || (audit[last] as AuditEntry).path.at(-1) !== put.state) return null
    told[last] = put
    if (before === null) created.add(put.doc_id)
  }
  let seq = first
  for (let index = 0; index < audit.length; index++) {
    const entry = audit[index] as AuditEntry
    const line = lineOf(seq, entry, undefined)
    if (index > 0) line.commit = first
    else if (change.claims.length > 0) line.claims = change.claims
    const put = told[index]
    // The first of its lines is the one that makes it.
    const isNew = created.size > 0 && created.delete(entry.id)
    if (put !== undefined) Object.assign(line, documentFields(put, entry, isNew))
    else if (isNew) line.created = true
    into.add(JSON.stringify(line))
    seq += hopsOf(entry)
  }
  return seq - first
}

function isPlain({ change: { puts, slots, signals }, audit }: Encodable): boolean {
  if (slots.length > 0 || signals.length > 0 || puts.length === 0 || audit.length === 0) return false
  const tenant_id = puts[0]?.tenant_id
  for (const put of puts) if (put.kind !== 'document' || put.tenant_id !== tenant_id) return false
  for (const entry of audit) {
    const { kind, event } = entry
    if (kind !== 'document' || event !== 'moved' || entry.tenant_id !== tenant_id) return false
    if (entry.path.length < 2) return false
  }
  return true
}
