import { idOf, type LedgerRecord, type RecordKey } from '../../../core/aggregate.ts'
import type { JobRecord } from '../../../core/job/record.ts'
import type { RecordKind } from '../../../core/machines/all.ts'
import type { ReadyHead } from '../../../core/pick.ts'
import type { AuditQuery, FindQuery } from '../../../store/query.ts'
import type { ReferenceLedger, Told } from './reference-ledger.ts'

/** What readers of the reference see: everything is read, then filtered, then sorted. */

export function findIn({ records }: ReferenceLedger, query: FindQuery): readonly LedgerRecord[] {
  const found = [...records.values()].filter((record) => isWanted(record, query))
  const sign = query.direction === 'desc' ? -1 : 1
  return found.sort((a, b) => {
    const byTime = query.order === 'changed' ? msOf(a) - msOf(b) : 0
    return sign * (byTime || order(a.tenant_id, b.tenant_id) || order(idOf(a), idOf(b)))
  })
}

function isWanted(record: LedgerRecord, query: FindQuery): boolean {
  if (record.kind !== query.kind) return false
  if (query.tenant_id !== undefined && record.tenant_id !== query.tenant_id) return false
  for (const [field, wanted] of Object.entries(query.where ?? {})) {
    const value: unknown = Reflect.get(record, field)
    if (wanted !== undefined && ![wanted].flat().includes(value as string)) return false
  }
  const at = msOf(record)
  if (query.changedFrom !== undefined && at < query.changedFrom) return false
  return query.changedBefore === undefined || at < query.changedBefore
}

function msOf(record: LedgerRecord): number {
  return record.kind === 'document' ? Math.round(record.updated_at * 1000) : Date.parse(record.updated_at)
}

function order(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1
}

export function auditIn({ log }: ReferenceLedger, query: AuditQuery): readonly Told[] {
  const { state, from, before, direction, after, limit, ...fields } = query
  const found = log.filter((told) => {
    const at = Math.round(told.timestamp * 1000)
    if (state !== undefined && told.new_state !== state) return false
    if (from !== undefined && at < from) return false
    if (before !== undefined && at >= before) return false
    return Object.entries(fields).every(
      ([name, value]) => value === undefined || Reflect.get(told, name) === value,
    )
  })
  return direction === 'desc' ? found.toReversed() : found
}

export function countsIn(ledger: ReferenceLedger, kind: RecordKind, tenant_id?: string) {
  const counts: { [state: string]: number } = {}
  for (const { state } of findIn(ledger, { kind, tenant_id })) counts[state] = (counts[state] ?? 0) + 1
  return counts
}

export function jobsIn({ records }: ReferenceLedger): readonly JobRecord[] {
  return [...records.values()].filter((record): record is JobRecord => record.kind === 'job')
}

export function keyOfJob({ tenant_id, job_id }: JobRecord): RecordKey<'job'> {
  return { kind: 'job', tenant_id, id: job_id }
}

export function dueIn(ledger: ReferenceLedger, now: number): readonly JobRecord[] {
  return jobsIn(ledger).filter(({ due_at }) => due_at !== null && Date.parse(due_at) <= now)
}

export function nextDueIn(ledger: ReferenceLedger): number | null {
  const times = jobsIn(ledger).flatMap(({ due_at }) => (due_at === null ? [] : [Date.parse(due_at)]))
  return times.length === 0 ? null : Math.min(...times)
}

/** The first of each tenant's group in each of the queues, sorted so that two answers can be compared. */
export function headsIn(
  ledger: ReferenceLedger,
  queues: readonly string[],
  perGroup: number,
): readonly ReadyHead[] {
  const groups = new Map<string, ReadyHead[]>()
  for (const job of jobsIn(ledger)) {
    if (job.ready === null || !queues.includes(job.ready.queue)) continue
    const group = JSON.stringify([job.ready.queue, job.tenant_id, job.ready.group])
    groups.set(group, [...(groups.get(group) ?? []), { key: keyOfJob(job), ready: job.ready }])
  }
  return sortHeads([...groups.values()].flatMap((heads) => sortHeads(heads).slice(0, perGroup)))
}

/** Keys may be more than that to the store that shows them. */
function plain({ key: { kind, tenant_id, id }, ready }: ReadyHead): ReadyHead {
  return { key: { kind, tenant_id, id }, ready }
}

export function sortHeads(heads: readonly ReadyHead[]): readonly ReadyHead[] {
  return heads
    .map(plain)
    .sort(
      (a, b) =>
        order(a.ready.queue, b.ready.queue) ||
        order(a.key.tenant_id, b.key.tenant_id) ||
        order(a.ready.group, b.ready.group) ||
        a.ready.rank - b.ready.rank ||
        order(a.key.id, b.key.id),
    )
}

/** Jobs that wait for what has come to pass: somebody has to tell them. */
export function untoldIn(ledger: ReferenceLedger): readonly string[] {
  return jobsIn(ledger).flatMap((job) => {
    const over = job.waits_for.filter((topic) => hasEnded(ledger, job, topic) || isOpen(ledger, job, topic))
    return over.map((topic) => `${job.job_id} waits for ${topic}`)
  })
}

function hasEnded(ledger: ReferenceLedger, { tenant_id }: JobRecord, topic: string): boolean {
  if (!topic.startsWith('job:')) return false
  const state = ledger.get('job', tenant_id, topic.slice('job:'.length))?.state ?? ''
  return ['SUCCEEDED', 'FAILED_FINAL', 'CANCELLED'].includes(state)
}

/** The document is what the gate waits for, and nobody is going to look by themselves. */
function isOpen(ledger: ReferenceLedger, job: JobRecord, topic: string): boolean {
  const { tenant_id, doc_id } = job
  if (topic !== `document:${doc_id}` || doc_id === null) return false
  const step = ledger.load(keyOfJob(job))?.steps[job.current_step_index]
  const isWaiting = step?.gate?.opened_at === null && step.gate.looked
  return isWaiting && ledger.get('document', tenant_id, doc_id)?.state === 'parsed'
}
