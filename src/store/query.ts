import type { RecordOf } from '../core/aggregate.ts'
import type { AuditEvent, AuditRecord } from '../core/audit.ts'
import type { DurationGroup, DurationsBy } from '../core/durations.ts'
import type { RecordKind } from '../core/machines/all.ts'
import { fromEpochSeconds, fromIso } from '../core/time.ts'
import { InvalidInput, Unsupported } from '../errors/input-errors.ts'
import type { Capabilities, FindOrder } from './capabilities.ts'

/** A position that an earlier answer gave out; its inside is the engine's own business. */
export type Cursor = string

export interface Page<T> {
  readonly items: readonly T[]
  /** Where the next page starts; null when there is none. */
  readonly next: Cursor | null
}

/** Fields that `find` filters by: one value, or any of several. A record without the field does not match. */
export const FILTER_FIELDS = [
  'state',
  'adapter',
  'request_type',
  'protocol_id',
  'run_id',
  'workstream_id',
  'doc_id',
  'job_id',
  'step_id',
  'service',
  'queue',
] as const

type FilterField = (typeof FILTER_FIELDS)[number]

export interface FindQuery<K extends RecordKind = RecordKind> extends PageOptions {
  readonly kind: K
  /** All tenants when absent. */
  readonly tenant_id?: string | undefined
  readonly where?: { readonly [F in FilterField]?: string | readonly string[] | undefined } | undefined
}

/** Which part of a list, and in which order. */
export interface PageOptions {
  /** Epoch milliseconds of the last change; from is included, before is not. */
  readonly changedFrom?: number | undefined
  readonly changedBefore?: number | undefined
  readonly order?: FindOrder | undefined
  readonly direction?: 'asc' | 'desc' | undefined
  readonly after?: Cursor | undefined
  readonly limit?: number | undefined
}

export interface AuditQuery {
  readonly tenant_id?: string | undefined
  readonly kind?: RecordKind | undefined
  readonly id?: string | undefined
  readonly job_id?: string | undefined
  readonly doc_id?: string | undefined
  /** The state that was entered. */
  readonly state?: string | undefined
  readonly adapter?: string | undefined
  readonly error_type?: string | undefined
  readonly actor?: string | undefined
  readonly event?: AuditEvent | undefined
  /** Epoch milliseconds; from is included, before is not. */
  readonly from?: number | undefined
  readonly before?: number | undefined
  /** Newest first with `desc`; the default is the order in which it happened. */
  readonly direction?: 'asc' | 'desc' | undefined
  readonly after?: Cursor | undefined
  readonly limit?: number | undefined
}

/** Which durations to add up; absent filters match everything. */
export interface DurationsQuery {
  readonly tenant_id?: string | undefined
  readonly kind?: RecordKind | undefined
  /** The state that was left. */
  readonly state?: string | undefined
  readonly adapter?: string | undefined
  /** A row for each adapter of a state, which is the default, or just for each state. */
  readonly by?: DurationsBy | undefined
  /** When the state was left, in epoch milliseconds; from is included, before is not. */
  readonly from?: number | undefined
  readonly before?: number | undefined
}

const DEFAULT_PAGE = 100
export const LARGEST_PAGE = 1000

export function pageSize(limit = DEFAULT_PAGE): number {
  if (!Number.isSafeInteger(limit) || limit < 1) {
    throw new InvalidInput('limit', `limit is ${limit}`, `Give a whole number from 1 to ${LARGEST_PAGE}.`)
  }
  return Math.min(limit, LARGEST_PAGE)
}

/** The order to sort by, if the engine has it. */
export function findOrder(query: FindQuery, { engine, findOrders }: Capabilities): FindOrder {
  const order = query.order ?? 'id'
  if (findOrders.includes(order)) return order
  throw new Unsupported(`the order ${order}`, `The ${engine} engine sorts by: ${findOrders.join(', ')}.`)
}

/** Epoch milliseconds of the last change of a record of any kind. */
export function changedAt(record: RecordOf[RecordKind]): number {
  return record.kind === 'document' ? fromEpochSeconds(record.updated_at) : fromIso(record.updated_at)
}

export function matchesFind(record: RecordOf[RecordKind], query: FindQuery): boolean {
  for (const field of FILTER_FIELDS) {
    const wanted = query.where?.[field]
    if (wanted === undefined) continue
    const value = (record as unknown as { readonly [field: string]: unknown })[field]
    if (typeof wanted === 'string' ? value !== wanted : !wanted.includes(value as string)) return false
  }
  if (query.changedFrom === undefined && query.changedBefore === undefined) return true
  const at = changedAt(record)
  return at >= (query.changedFrom ?? at) && (query.changedBefore === undefined || at < query.changedBefore)
}

const AUDIT_FIELDS = [
  'tenant_id',
  'kind',
  'id',
  'job_id',
  'doc_id',
  'adapter',
  'error_type',
  'actor',
  'event',
] as const

export function matchesAudit(record: AuditRecord, query: AuditQuery): boolean {
  for (const field of AUDIT_FIELDS) {
    if (query[field] !== undefined && query[field] !== record[field]) return false
  }
  if (query.state !== undefined && query.state !== record.new_state) return false
  const at = fromEpochSeconds(record.timestamp)
  return at >= (query.from ?? at) && (query.before === undefined || at < query.before)
}

const GROUP_FIELDS = ['tenant_id', 'kind', 'state', 'adapter'] as const

/** Whether a group of durations is asked for, leaving the time aside. */
export function matchesGroup(group: DurationGroup, query: DurationsQuery): boolean {
  return GROUP_FIELDS.every((field) => query[field] === undefined || query[field] === group[field])
}

/** Whether the duration that a record of the history tells is asked for. */
export function matchesDurations(record: AuditRecord, { state, by: _, ...query }: DurationsQuery): boolean {
  return (state === undefined || state === record.old_state) && matchesAudit(record, query)
}

/** The first of these records that fit, and where to go on after them. */
export async function auditPage(
  records: AsyncIterable<AuditRecord>,
  query: AuditQuery,
): Promise<Page<AuditRecord>> {
  const size = pageSize(query.limit)
  const items: AuditRecord[] = []
  for await (const record of records) {
    if (!matchesAudit(record, query)) continue
    if (items.length === size) return { items, next: (items[size - 1] as AuditRecord).cursor }
    items.push(record)
  }
  return { items, next: null }
}
