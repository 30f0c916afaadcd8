// Copies a ledger from one store into another: ids, history and order stay. Documents are built along with their
// history, so that the copy is a ledger at every moment; what their history does not tell, and everything else, is
// put there afterwards. A copy that was cut off goes on where the history of the copy ends.
import {
  type AloneRecord,
  idOf,
  type JobAggregate,
  type LedgerRecord,
  nameOfKey,
  type RecordKey,
} from '../core/aggregate.ts'
import type { AuditEntry, AuditRecord } from '../core/audit.ts'
import { type Claim, change, type Decision, type Given, need } from '../core/decision.ts'
import type { DocumentRecord } from '../core/document/record.ts'
import { documentAfter } from '../core/document/retell.ts'
import { holdingsOf } from '../core/job/holdings.ts'
import type { OutboxRecord } from '../core/job/record.ts'
import { type Json, sameJson } from '../core/json.ts'
import { isTerminal, statesOf } from '../core/machine.ts'
import type { RecordKind } from '../core/machines/all.ts'
import { outboxMachine } from '../core/machines/outbox.ts'
import { NotEmpty } from '../errors/file-errors.ts'
import { ChangeTooLarge, RecordTooLarge } from '../errors/size-errors.ts'
import { findPages } from './find-all.ts'
import type { OnProgress, ProgressOptions } from './progress.ts'
import { LARGEST_PAGE } from './query.ts'
import type { Store } from './store.ts'
import { Upkeep } from './upkeep.ts'

export interface CopyReport {
  /** Of the history, by this call: less than all when an earlier one was cut off. */
  readonly copied_audit_records: number
  readonly audit_records: number
  readonly records: { readonly [K in RecordKind]: number }
}

/** Records of the history after which the target clears up. */
const UPKEEP_EVERY = 150_000

/** Jobs that are put in one commit: each has steps and rows of its own. */
const JOBS_AT_ONCE = 200

export async function copyStore(
  from: Store,
  to: Store,
  { onProgress = () => {} }: ProgressOptions = {},
): Promise<CopyReport> {
  const copied_audit_records = await copyHistory(from, to, onProgress)
  await putDifferingDocuments(from, to, onProgress)
  await copyRest(from, to, onProgress)
  // Whoever opens it would read all of this again.
  if (copied_audit_records > 0) await to.maintain({ onProgress })
  const { audit_records, records } = await to.stats()
  return { copied_audit_records, audit_records, records }
}

async function copyHistory(from: Store, to: Store, onProgress: OnProgress): Promise<number> {
  const { audit_records: there, records } = await to.stats()
  if (there === 0 && Object.values(records).some((n) => n > 0)) throw new NotEmpty()
  const { audit_records: total } = await from.stats()
  let after = await cursorAfter(from, to, there)
  let done = there
  const upkeep = new Upkeep(to, UPKEEP_EVERY)
  for (;;) {
    const page = await from.audit({ after, limit: LARGEST_PAGE })
    if (page.items.length > 0) {
      await inParts(page.items, (some) => to.transact([], (given) => retell(some, given)))
      done += page.items.length
      onProgress({ what: 'history', done, total })
      await upkeep.written(page.items.length)
    }
    if (page.next === null) break
    after = page.next
  }
  await upkeep.settled()
  return done - there
}

/** All at once; in halves, one after the other, where that is more than the engine can write at once. */
async function inParts<T>(
  items: readonly T[],
  write: (some: readonly T[]) => Promise<unknown>,
): Promise<void> {
  try {
    await write(items)
  } catch (error) {
    const isTooLarge = error instanceof RecordTooLarge || error instanceof ChangeTooLarge
    if (!isTooLarge || items.length < 2) throw error
    const half = Math.ceil(items.length / 2)
    await inParts(items.slice(0, half), write)
    await inParts(items.slice(half), write)
  }
}

/** Where the source goes on after the first so many records, the last of which has to be the last of the copy. */
async function cursorAfter(from: Store, to: Store, there: number): Promise<string | undefined> {
  let after: string | undefined
  for (let left = there; left > 0; ) {
    const { items, next } = await from.audit({ after, limit: Math.min(left, LARGEST_PAGE) })
    left -= items.length
    after = items.at(-1)?.cursor
    if (left === 0) {
      const [last] = (await to.audit({ direction: 'desc', limit: 1 })).items
      if (last === undefined || !isSame(items.at(-1) as AuditRecord, last)) throw new NotEmpty()
    } else if (next === null) throw new NotEmpty()
  }
  return after
}

/** The history once more, with the documents that it tells of. What is missing is asked for all at once. */
function retell(records: readonly AuditRecord[], given: Given): Decision<null> {
  const documents = new Map<string, DocumentRecord>()
  const missing: RecordKey<'document'>[] = []
  for (const record of records) {
    if (record.kind !== 'document' || record.event !== 'moved') continue
    const key = { kind: 'document', tenant_id: record.tenant_id, id: record.id } as const
    const name = nameOfKey(key)
    const before = documents.get(name) ?? given.get('document', key.tenant_id, key.id)
    if (before === undefined) missing.push(key)
    else documents.set(name, { kind: 'document', ...documentAfter(before, record), etag: '' })
  }
  if (missing.length > 0) return need(missing)
  return change(null, { puts: [...documents.values()], audit: records.map(entryOf) })
}

function entryOf({ seq: _, cursor: __, old_state, new_state, ...fields }: AuditRecord): AuditEntry {
  return { ...fields, path: [old_state, new_state] }
}

/** Documents whose history was removed in part, or never told all. */
async function putDifferingDocuments(from: Store, to: Store, onProgress: OnProgress): Promise<void> {
  const total = (await from.stats()).records.document
  const copies = new Copies(to)
  let done = 0
  for await (const page of findPages(from, { kind: 'document' })) {
    const differing: DocumentRecord[] = []
    await copies.readOn()
    for (const document of page) {
      const copy = await copies.of(document)
      if (copy === null || !isSame(copy, document)) differing.push(...fresh([document]))
    }
    if (differing.length > 0) await putAll(to, differing)
    done += page.length
    onProgress({ what: 'documents', done, total })
  }
}

/**
 * The documents of the copy, read along with those that they are copies of: both come in the order of their ids, and page
 * for page they are mostly the same. One that is not among them is asked for.
 */
class Copies {
  readonly #to: Store
  readonly #pages: AsyncGenerator<readonly DocumentRecord[]>
  /** The page before and this one, in case they are cut at different places. */
  #before = new Map<string, DocumentRecord>()
  #now = new Map<string, DocumentRecord>()

  constructor(to: Store) {
    this.#to = to
    this.#pages = findPages(to, { kind: 'document' })
  }

  async readOn(): Promise<void> {
    const { value = [] } = (await this.#pages.next()) as { readonly value?: readonly DocumentRecord[] }
    this.#before = this.#now
    this.#now = new Map(value.map((copy) => [nameOfDocument(copy), copy]))
  }

  async of(document: DocumentRecord): Promise<DocumentRecord | null> {
    const name = nameOfDocument(document)
    return this.#now.get(name) ?? this.#before.get(name) ?? this.#to.get(keyOfDocument(document))
  }
}

function nameOfDocument(document: DocumentRecord): string {
  return nameOfKey(keyOfDocument(document))
}

function keyOfDocument({ tenant_id, doc_id }: DocumentRecord) {
  return { kind: 'document', tenant_id, id: doc_id } as const
}

async function copyRest(from: Store, to: Store, onProgress: OnProgress): Promise<void> {
  const { records } = await from.stats()
  const total = ALONE.reduce((sum, kind) => sum + records[kind], records.job)
  let done = 0
  const tell = (n: number) => {
    done += n
    onProgress({ what: 'jobs', done, total })
  }
  for (const kind of ALONE) {
    for await (const page of findPages(from, { kind })) {
      await putAll(to, fresh<AloneRecord>(page))
      tell(page.length)
    }
  }
  for await (const page of findPages(from, { kind: 'job' }, JOBS_AT_ONCE)) {
    const jobs = await Promise.all(
      page.map(({ tenant_id, job_id }) => from.load({ kind: 'job', tenant_id, id: job_id })),
    )
    const there = jobs.filter((job) => job !== null)
    await inParts(there, (some) => to.transact([], (given) => putJobs(some, given)))
    tell(page.length)
  }
  await copyClosedRows(from, to)
  await copyClaims(from, to)
}

/** Those whose history does not tell all of them. */
const ALONE = ['run', 'workstream', 'queue', 'schedule', 'token'] as const

/** A decision looks at what it replaces: only so a store knows what was there, and counts right. */
function putAll(to: Store, records: readonly AloneRecord[]): Promise<void> {
  return inParts(records, (some) => {
    const keys = some.map((record) => ({ kind: record.kind, tenant_id: record.tenant_id, id: idOf(record) }))
    return to.transact(keys, (given) => {
      const isLoaded = keys.every(({ kind, tenant_id, id }) => given.get(kind, tenant_id, id) !== undefined)
      return isLoaded ? change(null, { puts: some }) : need(keys)
    })
  })
}

/** Each with all that belongs to it, in one commit: one that the copy has is there as a whole. */
function putJobs(jobs: readonly JobAggregate[], given: Given): Decision<null> {
  const copies = jobs.map(({ job }) => given.get('job', job.tenant_id, job.job_id))
  if (copies.includes(undefined)) return need(jobs.map(({ job }) => keyOfJob(job)))
  const missing = jobs.filter((_, i) => copies[i] === null)
  const held = missing.map(holdingsOf)
  return change(null, {
    puts: missing.flatMap(({ job, steps, outbox }) => fresh([...steps, ...outbox, job])),
    slots: held.flatMap(({ slots }) => slots),
    signals: held.flatMap(({ signals }) => signals),
  })
}

/** Who owns what, whoever took it: requests that were answered, logs that were taken over. */
async function copyClaims(from: Store, to: Store): Promise<void> {
  let some: Claim[] = []
  const put = () =>
    inParts(some, (claims) =>
      to.transact([], (given) =>
        change(null, { claims: claims.filter((claim) => given.ownerOf(claim) === undefined) }),
      ),
    )
  for await (const claim of from.claims()) {
    if (some.push(claim) < LARGEST_PAGE) continue
    await put()
    some = []
  }
  if (some.length > 0) await put()
}

/** Outbox rows that are no longer part of their job. Those that are were put with it, and are not looked for. */
async function copyClosedRows(from: Store, to: Store): Promise<void> {
  const state = statesOf(outboxMachine).filter((one) => isTerminal(outboxMachine, one))
  const counts = await to.counts('outbox')
  const isNew = state.every((one) => (counts[one] ?? 0) === 0)
  for await (const page of findPages(from, { kind: 'outbox', where: { state } })) {
    const rows = isNew ? page : await missingIn(to, page)
    if (rows.length === 0) continue
    await inParts(rows, (some) =>
      to.transact([], (given) => {
        const isLoaded = some.every((row) => given.get('job', row.tenant_id, row.job_id) !== undefined)
        return isLoaded ? change(null, { puts: fresh(some) }) : need(some.map(keyOfJob))
      }),
    )
  }
}

async function missingIn(to: Store, rows: readonly OutboxRecord[]): Promise<readonly OutboxRecord[]> {
  const copies = await Promise.all(
    rows.map(({ tenant_id, outbox_id }) => to.get({ kind: 'outbox', tenant_id, id: outbox_id })),
  )
  return rows.filter((_, i) => copies[i] === null)
}

function keyOfJob({ tenant_id, job_id }: { readonly tenant_id: string; readonly job_id: string }) {
  return { kind: 'job', tenant_id, id: job_id } as const
}

/** Etags are given out by the store; what came from another is not changed. */
function fresh<R extends LedgerRecord>(records: readonly R[]): R[] {
  return records.map((record) => ({ ...record, etag: '' }))
}

/** The same but for what every store gives out by itself. */
function isSame<T extends AuditRecord | LedgerRecord>(a: T, b: T): boolean {
  return sameJson(bare(a), bare(b))
}

function bare(record: AuditRecord | LedgerRecord): Json {
  const { etag: _, seq: __, cursor: ___, ...rest } = record as unknown as { [field: string]: Json }
  return rest
}
