import type { AggregateKind, AggregateOf, RecordKey, RecordOf } from '../../core/aggregate.ts'
import type { AuditRecord } from '../../core/audit.ts'
import type { Claim, ClaimKey } from '../../core/decision.ts'
import type { DurationRow } from '../../core/durations.ts'
import type { RecordKind } from '../../core/machines/all.ts'
import type { Capabilities } from '../capabilities.ts'
import { pageOf, placeAfter, placeOfRecord } from '../live/find-records.ts'
import type { Place } from '../place.ts'
import {
  type AuditQuery,
  type DurationsQuery,
  type FindQuery,
  findOrder,
  LARGEST_PAGE,
  type Page,
  pageSize,
} from '../query.ts'
import { ifNotReplaced, lookAgain } from './image.ts'
import type { OpenJournal } from './open-journal.ts'
import { auditHistory, HistoryMoved, historyDurations, readHistory } from './segments/history.ts'
import type { Found } from './snapshot/tables.ts'

/** The snapshot or the history may be replaced under a reader that often before it gives up. */
const MOST_TRIES = 100

export function getRecord<K extends RecordKind>(
  current: Current,
  key: RecordKey<K>,
): Promise<RecordOf[K] | null> {
  return lookAgain(async () => {
    const { image } = current.journal
    return image.live.record(key) ?? (await image.loadRecord(key))
  })
}

export function loadAggregate<K extends AggregateKind>(
  current: Current,
  key: RecordKey<K>,
): Promise<AggregateOf[K] | null> {
  const { kind, tenant_id, id } = key
  return lookAgain(async () => {
    const { image } = current.journal
    return image.live.aggregate(kind, tenant_id, id) ?? (await image.load(key))
  })
}

export function ownerOfClaim(current: Current, claim: ClaimKey): Promise<string | null> {
  return lookAgain(async () => {
    const { image } = current.journal
    const known = image.ownerOf(claim)
    return known === undefined ? await image.loadOwner(claim) : known
  })
}

type Key = Pick<RecordKey, 'tenant_id' | 'id'>

/**
 * What is in memory and what is in the snapshot, as one. Reading the snapshot takes time, in which records may
 * come from there into memory, or leave it; so memory is looked at last, and everything again if that happened.
 */
export async function findEverywhere<K extends RecordKind>(
  current: Current,
  query: FindQuery<K>,
  capabilities: Capabilities,
): Promise<Page<RecordOf[K]>> {
  const order = findOrder(query, capabilities)
  const { kind } = query
  const size = pageSize(query.limit) + 1
  const after = placeAfter(query, order)
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const { image } = current.journal
    const { live, base } = image
    const isInMemory = (key: Key) => live.record({ kind, ...key }) !== null
    const passedOver: Key[] = []
    const shadowed = (tenant: string, id: string) => {
      const key = { tenant_id: tenant, id }
      const isThere = isInMemory(key)
      if (isThere) passedOver.push(key)
      return isThere
    }
    const found = await ifNotReplaced(() =>
      image.read((snapshot) => snapshot.find(kind, query, order, { after, size, shadowed })),
    )
    if (found === 'replaced') continue
    const stored = (found ?? []).map((record) => ({ record, place: placeOfRecord(record, query, order) }))
    const hasMoved = stored.some(({ place }) => isInMemory(place)) || !passedOver.every(isInMemory)
    if (hasMoved || image.base !== base || current.journal.image !== image) continue
    return pageOf([live.listings.find(query, order), stored], query)
  }
  throw new Error(`the ledger changed ${MOST_TRIES} times while it was read`)
}

/** Those in memory first: what goes from there into a snapshot meanwhile comes twice, and nothing is missed. */
export async function* claimsEverywhere(current: Current): AsyncGenerator<Claim> {
  const inMemory = [...current.journal.image.live.devices.claims.entries()]
  for (const [tenant_id, key, owner] of inMemory) yield { tenant_id, key, owner }
  let after: Place | null = null
  for (;;) {
    const from: Place | null = after
    const page: readonly Found<'claims'>[] | null = await lookAgain(() =>
      current.journal.image.read((base) => base.claimsAfter(from, LARGEST_PAGE)),
    )
    for (const { tenant_id, id: key, value: owner } of page ?? []) yield { tenant_id, key, owner }
    const last = page?.at(-1)
    if (last === undefined) return
    after = { at: 0, tenant_id: last.tenant_id, id: last.id }
  }
}

/** Something that is open, and how to have it as it is now. */
export interface Current {
  readonly journal: OpenJournal
  refresh(): Promise<void>
}

export function auditEverywhere(current: Current, query: AuditQuery): Promise<Page<AuditRecord>> {
  return unmoved(current, () => auditHistory(current.journal.history, query))
}

export function durationsEverywhere(
  current: Current,
  query: DurationsQuery,
): Promise<readonly DurationRow[]> {
  return unmoved(current, () => historyDurations(current.journal.history, query))
}

/** Records after a place, also when what it reads is sealed meanwhile. */
export async function* recordsAfter(current: Current, place: number): AsyncGenerator<AuditRecord> {
  let seen = place
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    try {
      for await (const record of readHistory(current.journal.history, {}, seen, 'asc')) {
        seen = record.seq
        yield record
      }
      return
    } catch (error) {
      if (!(error instanceof HistoryMoved)) throw error
      await current.refresh()
    }
  }
}

/** Reads again when a delta became a segment while it was read. */
async function unmoved<T>(current: Current, read: () => Promise<T>): Promise<T> {
  for (let tries = 0; ; tries++) {
    try {
      return await read()
    } catch (error) {
      if (!(error instanceof HistoryMoved) || tries === MOST_TRIES) throw error
      await current.refresh()
    }
  }
}
