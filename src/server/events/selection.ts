import type { AuditEvent, AuditRecord } from '../../core/audit.ts'
import { type Level, levelOf } from '../../core/audit-level.ts'
import { type Contains, containing, textsOfAudit } from '../../core/contained-text.ts'
import type { RecordKind } from '../../core/machines/all.ts'
import type { AuditQuery } from '../../store/query.ts'

/** What a client asks to see. What is absent matches everything; of several values any will do. */
export interface EventFilter {
  readonly tenant_id?: string | undefined
  readonly kind?: readonly RecordKind[] | undefined
  readonly id?: string | undefined
  readonly job_id?: string | undefined
  readonly doc_id?: string | undefined
  /** The state that was entered. */
  readonly state?: readonly string[] | undefined
  readonly event?: readonly AuditEvent[] | undefined
  readonly actor?: string | undefined
  readonly adapter?: string | undefined
  readonly error_type?: string | undefined
  /** The run itself, and whatever its jobs do. */
  readonly run_id?: string | undefined
  readonly workstream_id?: string | undefined
  readonly level?: readonly Level[] | undefined
  /** Text that is part of its names, of its error or of its reason. */
  readonly q?: string | undefined
}

/** What a client is shown: what it asks for of what it may see. */
export interface Selection {
  /** The same for all who are shown the same. */
  readonly key: string
  /** What the ledger can be asked for: all of the selection, and perhaps more. Null when there is nothing to be seen. */
  readonly query: Omit<AuditQuery, 'after' | 'limit' | 'direction'> | null
  matches(record: AuditRecord): boolean
}

const ONE = ['tenant_id', 'id', 'job_id', 'doc_id', 'actor', 'adapter', 'error_type'] as const
const GROUPS = [
  ['run_id', 'run'],
  ['workstream_id', 'workstream'],
] as const

/** `tenants` are those that the client may see; null for all of them. */
export function selectionOf(filter: EventFilter, tenants: ReadonlySet<string> | null): Selection {
  const contains = filter.q === undefined ? null : containing(filter.q)
  return {
    key: JSON.stringify([filter, tenants === null ? null : [...tenants].sort()]),
    query: queryOf(filter, tenants),
    matches: (record) =>
      (tenants === null || tenants.has(record.tenant_id)) && isAskedFor(record, filter, contains),
  }
}

function isAskedFor(record: AuditRecord, filter: EventFilter, contains: Contains | null): boolean {
  for (const field of ONE) {
    if (filter[field] !== undefined && filter[field] !== record[field]) return false
  }
  if (filter.kind?.includes(record.kind) === false) return false
  if (filter.state?.includes(record.new_state) === false) return false
  if (filter.event?.includes(record.event) === false) return false
  if (filter.level?.includes(levelOf(record)) === false) return false
  if (contains?.(textsOfAudit(record)) === false) return false
  return GROUPS.every(([field, kind]) => {
    const wanted = filter[field]
    return wanted === undefined || belongsTo(record, { field, kind, wanted })
  })
}

function belongsTo(
  { kind, id, metadata }: AuditRecord,
  group: { readonly field: string; readonly kind: RecordKind; readonly wanted: string },
): boolean {
  return kind === group.kind ? id === group.wanted : metadata[group.field] === group.wanted
}

function queryOf(filter: EventFilter, tenants: ReadonlySet<string> | null): Selection['query'] {
  const { id, job_id, doc_id, actor, adapter, error_type } = filter
  const tenant_id = filter.tenant_id ?? (tenants?.size === 1 ? [...tenants][0] : undefined)
  // Somebody else's tenant is like one that is not there, also in how long the answer takes.
  if (tenants?.size === 0 || (tenant_id !== undefined && tenants?.has(tenant_id) === false)) return null
  return {
    tenant_id,
    id,
    job_id,
    doc_id,
    actor,
    adapter,
    error_type,
    kind: onlyOne(filter.kind),
    state: onlyOne(filter.state),
    event: onlyOne(filter.event),
  }
}

function onlyOne<T>(values: readonly T[] | undefined): T | undefined {
  return values?.length === 1 ? values[0] : undefined
}
