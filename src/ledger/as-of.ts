import type { AuditRecord } from '../core/audit.ts'
import { type CountedKind, type Counts, CountsInHindsight } from '../core/counts-as-of.ts'
import { type DocumentAsOf, DocumentHindsight } from '../core/document/as-of.ts'
import { fromEpochSeconds, toIso } from '../core/time.ts'
import { HistoryGone } from '../errors/file-errors.ts'
import { InvalidInput } from '../errors/input-errors.ts'
import { matchesAudit } from '../store/query.ts'
import type { Store } from '../store/store.ts'
import type { AuditLog } from './audit-log.ts'

/** How often counts and history are read again until nothing was written between the two. */
const MOST_LOOKS = 100

/** The latest time that dates can be made of. */
const LATEST = 8.64e15

export async function documentAsOf(
  store: Store,
  audit: AuditLog,
  { at, ...key }: { readonly tenant_id: string; readonly id: string; readonly at: number },
): Promise<DocumentAsOf | null> {
  checkTime(at)
  const hindsight = new DocumentHindsight(at)
  for await (const record of audit.records({ kind: 'document', ...key })) {
    if (!hindsight.add(record)) break
  }
  return hindsight.answer(await store.get({ kind: 'document', ...key }))
}

/** From the counts of now, and what has happened since. */
export async function countsAsOf(
  store: Store,
  audit: AuditLog,
  query: { readonly kind: CountedKind; readonly tenant_id: string | undefined; readonly at: number },
): Promise<Counts> {
  const { kind, tenant_id, at } = query
  checkTime(at)
  await mustReachBackTo(store, at)
  const { counts, last } = await countsUpTo(store, kind, tenant_id)
  const hindsight = new CountsInHindsight(counts)
  if (last === undefined) return hindsight.counts()
  const since = { kind, tenant_id, event: 'moved', from: at + 1 } as const
  if (matchesAudit(last, since)) hindsight.takeBack(last)
  // Backwards from there: only so far have the counts come, whatever was written meanwhile.
  for await (const record of audit.records({ ...since, direction: 'desc', after: last.cursor }))
    hindsight.takeBack(record)
  return hindsight.counts()
}

/** Counts, and the last record of the history that they know of: nothing may be written between asking for the two. */
async function countsUpTo(
  store: Store,
  kind: CountedKind,
  tenant_id: string | undefined,
): Promise<{ counts: Counts; last: AuditRecord | undefined }> {
  let last = await lastRecord(store)
  for (let look = 0; ; look++) {
    const counts = await store.counts(kind, tenant_id)
    const now = await lastRecord(store)
    if (now?.cursor === last?.cursor || look === MOST_LOOKS) return { counts, last: now }
    last = now
  }
}

async function lastRecord(store: Store): Promise<AuditRecord | undefined> {
  return (await store.audit({ direction: 'desc', limit: 1 })).items[0]
}

async function mustReachBackTo(store: Store, at: number): Promise<void> {
  const [oldest] = (await store.audit({ limit: 1 })).items
  if (oldest === undefined || startOf(oldest) <= at) return
  const { removed_audit_records } = await store.stats()
  if (removed_audit_records > 0) throw new HistoryGone(toIso(at), toIso(startOf(oldest)))
}

function startOf(record: AuditRecord): number {
  return fromEpochSeconds(record.timestamp)
}

function checkTime(at: unknown): void {
  if (typeof at === 'number' && Math.abs(at) <= LATEST) return
  throw new InvalidInput(
    'at',
    'at must be a time in epoch milliseconds',
    'Pass Date.parse("2026-01-31T12:00Z").',
  )
}
