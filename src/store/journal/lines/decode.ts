import type { LedgerRecord, RecordKey, RecordOf } from '../../../core/aggregate.ts'
import type { AuditEntry } from '../../../core/audit.ts'
import type { Change, Claim, Signal, SlotChange } from '../../../core/decision.ts'
import type { DocumentRecord } from '../../../core/document/record.ts'
import { idempotencyClaim } from '../../../core/idempotency.ts'
import { withDefaults } from '../../../core/job/old-records.ts'
import type { RecordKind } from '../../../core/machines/all.ts'
import { jobRecords } from './decode-job.ts'
import { type ChangeLine, isControl, type Line, OWN_CLAIM, type PutFields } from './line.ts'

export interface DecodedLine {
  readonly change: Change
  readonly etag: string
}

/** The record as it is before the line; null when there is none. */
export type Current = <K extends RecordKind>(key: RecordKey<K>) => RecordOf[K] | null

/** What a line with these entries changes; null when it is about the file itself. Throws when it does not fit what is there. */
export function decodeLine(line: Line, audit: readonly AuditEntry[], current: Current): DecodedLine | null {
  if (isControl(line)) return null
  const etag = String(line.commit ?? line.seq)
  const puts: LedgerRecord[] = []
  const [first] = audit
  if (first?.kind === 'document' && first.event === 'moved') puts.push(documentOf(line, first, etag))
  for (const fields of line.puts ?? []) puts.push(putOf(fields, current, etag))
  for (const record of jobRecords(line, audit, etag, current)) puts.push(record)
  return { etag, change: { puts, audit, ...devicesOf(line) } }
}

/** Those that do not say whose they are are the line's. */
function devicesOf(line: ChangeLine): Pick<Change, 'claims' | 'slots' | 'signals'> {
  const { tenant_id, job_id, claims = [], slots = [], signals = [] } = line
  const owner = job_id ?? line.id
  const said = claims === OWN_CLAIM ? [{ key: ownClaim(line) }] : claims
  return {
    claims: said.map((claim) => ({ tenant_id, owner, ...claim }) as Claim),
    slots: slots.map((slot) => ({ tenant_id, owner, ...slot }) as SlotChange),
    signals: signals.map((signal) => ({ tenant_id, ...signal }) as Signal),
  }
}

function ownClaim(line: ChangeLine): string {
  const { idempotency_key = null, idempotency_hash } = line.new?.job ?? {}
  if (idempotency_hash === undefined) throw new Error('it claims what is its own, and makes no job')
  return idempotencyClaim(idempotency_key, idempotency_hash)
}

function documentOf(line: ChangeLine, entry: AuditEntry, etag: string): DocumentRecord {
  return {
    kind: 'document',
    tenant_id: entry.tenant_id,
    doc_id: entry.id,
    state: entry.path.at(-1) as DocumentRecord['state'],
    updated_at: entry.timestamp,
    adapter: entry.adapter,
    metadata: entry.metadata,
    retry_count: entry.retry_count,
    max_retries: entry.max_retries,
    error_type: entry.error_type,
    error_message: entry.error_message,
    ...line.record,
    etag,
  }
}

function putOf(fields: PutFields, current: Current, etag: string): LedgerRecord {
  if ('new' in fields) return { ...withDefaults(fields.new), etag }
  const before = current(fields)
  if (before === null) throw new Error(`it changes ${fields.kind} ${fields.id}, which is not there`)
  return { ...before, ...fields.set, etag } as LedgerRecord
}
