import {
  type AggregateOf,
  ALONE_KINDS,
  type AloneKind,
  type AloneRecord,
  type LedgerRecord,
} from '../../core/aggregate.ts'
import type { AuditEntry } from '../../core/audit.ts'
import type { Signal } from '../../core/decision.ts'
import type { DocumentRecord } from '../../core/document/record.ts'
import type { Timers } from '../../world/timers.ts'
import { isAlwaysHere } from '../live/live-state.ts'
import type { CountEntry } from '../live/state-counts.ts'
import { Image } from './image.ts'
import { decodeLine } from './lines/decode.ts'
import { type Line, refusalsOf } from './lines/line.ts'
import type { Snapshot } from './snapshot/snapshot.ts'

/** What the compaction put into the snapshot's head. */
export interface Facts {
  readonly counts: readonly CountEntry[]
  readonly signals: readonly Signal[]
}

/** What is in memory after opening a snapshot: counts, signals, and what is always there. Everything else comes when it is needed. */
export async function imageOf(snapshot: Snapshot, timers: Timers): Promise<Image> {
  const image = new Image(timers)
  const { live } = image
  const { counts, signals } = snapshot.head as unknown as Facts
  for (const { tenant_id, kind, state, n } of counts) live.counts.add(tenant_id, kind, state, n)
  live.devices.store(snapshot.work)
  for (const signal of signals) live.signals.push(signal)
  await image.rebase(snapshot)
  for (const kind of ALONE_KINDS) if (isAlwaysHere(kind)) await admitAll(image, snapshot, kind)
  return image
}

async function admitAll({ live }: Image, snapshot: Snapshot, kind: AloneKind): Promise<void> {
  const part = { size: Number.POSITIVE_INFINITY, after: null, shadowed: () => false }
  for (const record of await snapshot.find(kind, {}, 'id', part)) live.admit(record as AloneRecord)
}

/**
 * Does once more what a line says was done, and answers which records it wrote. Throws when it does not follow from what
 * is there.
 */
export function replayLine(
  image: Image,
  line: Line,
  entries: readonly AuditEntry[],
): readonly LedgerRecord[] {
  const { live } = image
  const decoded = decodeLine(line, entries, (key) => live.record(key))
  if (decoded === null) return []
  const [entry] = entries
  if (entry?.kind === 'document' && entry.event === 'moved' && !('created' in line)) countOut(image, entry)
  live.apply(decoded.change, decoded.etag)
  for (const put of decoded.change.puts) Object.freeze(put)
  for (const { tenant_id, name, nth } of refusalsOf(line, entries)) image.refusals.set(tenant_id, name, nth)
  return decoded.change.puts
}

/**
 * A document that was at rest is only in the snapshot. Nothing is needed of it but the state in which it was
 * counted, and that the line says.
 */
function countOut({ live }: Image, { tenant_id, id, path }: AuditEntry): void {
  if (live.aggregate('document', tenant_id, id) !== null) return
  const stub = {
    kind: 'document',
    tenant_id,
    doc_id: id,
    state: path[0],
    etag: '',
  } as Partial<DocumentRecord>
  live.admit(stub as AggregateOf['document'])
}
