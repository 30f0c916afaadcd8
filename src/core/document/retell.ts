import type { AuditRecord } from '../audit.ts'
import { type JsonObject, withoutField } from '../json.ts'
import { isEdge } from '../machine.ts'
import { type DocumentState, documentMachine } from '../machines/document.ts'
import { MIGRATION, withoutMarks } from './legacy-marks.ts'
import type { DocumentRecord } from './record.ts'

/** All of a document that its history tells. */
export type ToldDocument = Omit<DocumentRecord, 'kind' | 'etag'>

/** What a document was like after a move, by what it was like before and what the history says of the move. */
export function documentAfter(
  before: Pick<ToldDocument, 'metadata'> | null,
  record: AuditRecord,
): ToldDocument {
  const brought = broughtBy(record)
  return {
    tenant_id: record.tenant_id,
    doc_id: record.id,
    state: record.new_state as DocumentState,
    updated_at: record.timestamp,
    adapter: record.adapter,
    metadata: before === null ? brought : { ...before.metadata, ...brought },
    retry_count: record.retry_count,
    max_retries: record.max_retries,
    error_type: record.error_type,
    error_message: record.error_message,
  }
}

/** The mark of an edge that was not declared is for the history only, and so are those of an old log. */
function broughtBy({ metadata, old_state, new_state, actor }: AuditRecord): JsonObject {
  if (actor === MIGRATION) return withoutMarks(metadata)
  const isDeclared = isEdge(documentMachine, old_state as DocumentState, new_state as DocumentState)
  return isDeclared || metadata.validated !== false ? metadata : withoutField(metadata, 'validated')
}
