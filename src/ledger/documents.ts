import type { AuditRecord } from '../core/audit.ts'
import type { DocumentAsOf } from '../core/document/as-of.ts'
import type { UpdateDocument } from '../core/document/decide.ts'
import type { DocumentRecord } from '../core/document/record.ts'
import type { DeprecatedState, LedgerState } from '../core/document/states.ts'
import type { StuckDocument, StuckThreshold } from '../core/document/stuck.ts'
import { documentMachine } from '../core/machines/document.ts'
import { findAll } from '../store/find-all.ts'
import type { ProgressOptions } from '../store/progress.ts'
import type { FindQuery, Page, PageOptions } from '../store/query.ts'
import type { MaintenanceReport } from '../store/store.ts'
import type { Clock } from '../world/clock.ts'
import { documentAsOf } from './as-of.ts'
import type { AuditLog } from './audit-log.ts'
import type { UpdateOptions } from './command-options.ts'
import type { Commands } from './commands.ts'
import type { Committer } from './committer.ts'
import type { LedgerSettings } from './settings.ts'
import { type StuckQuery, stuckDocuments, thresholdsFor } from './stuck.ts'
import { tenantToFind } from './tenant-to-find.ts'
import { type BulkOptions, type BulkReport, type DocumentUpdate, updateMany } from './update-many.ts'

/** Which documents; what is absent matches everything, but for the tenant, which is then the ledger's own; `*` for all. */
export interface DocumentFilter
  extends Pick<PageOptions, 'changedFrom' | 'changedBefore' | 'order' | 'direction'> {
  readonly tenant_id?: string | undefined
  readonly state?: LedgerState | readonly LedgerState[] | undefined
  readonly adapter?: string | undefined
}

export interface ListDocuments extends DocumentFilter, PageOptions {}

/** `ledger.documents`: where every document is, and how it got there. */
export class Documents {
  readonly #committer: Committer
  readonly #commands: Commands
  readonly #audit: AuditLog
  readonly #settings: LedgerSettings
  readonly #clock: Clock

  constructor(
    committer: Committer,
    commands: Commands,
    audit: AuditLog,
    settings: LedgerSettings,
    clock: Clock,
  ) {
    this.#clock = clock
    this.#committer = committer
    this.#commands = commands
    this.#audit = audit
    this.#settings = settings
  }

  /** Moves a document to a state. A document not seen before is `pending`. */
  updateState(doc_id: string, state: LedgerState, options?: UpdateOptions): Promise<DocumentRecord>
  /** @deprecated Use a `LedgerState`. Old names are mapped, work the same, and warn once each. */
  updateState(doc_id: string, state: DeprecatedState, options?: UpdateOptions): Promise<DocumentRecord>
  updateState(doc_id: string, state: string, options?: UpdateOptions): Promise<DocumentRecord> {
    let command: UpdateDocument
    try {
      command = this.#commands.updateState(doc_id, state as LedgerState, options)
    } catch (error) {
      return Promise.reject(error)
    }
    return this.#committer.run(command)
  }

  /**
   * Many updates, from a list or as they come. Each is made or refused by itself; those of one document are made in
   * their order. It ends when all are durable, and says which were refused and why.
   *
   * ```ts
   * const { updated, refusals } = await ledger.documents.updateMany([
   *   { doc_id: 'doc:1', state: 'fetched' },
   *   { doc_id: 'doc:2', state: 'failed', error },
   * ])
   * ```
   */
  updateMany(
    updates: Iterable<DocumentUpdate> | AsyncIterable<DocumentUpdate>,
    options: BulkOptions = {},
  ): Promise<BulkReport> {
    return updateMany(updates, options, ({ doc_id, state, ...rest }) =>
      this.updateState(doc_id, state as LedgerState, rest),
    )
  }

  async get(doc_id: string, tenant_id?: string): Promise<DocumentRecord | null> {
    return this.#committer.store.get({ kind: 'document', tenant_id: this.#tenant(tenant_id), id: doc_id })
  }

  /** The state; `pending` for a document not seen before. */
  async getState(doc_id: string, tenant_id?: string): Promise<LedgerState> {
    return (await this.get(doc_id, tenant_id))?.state ?? documentMachine.initial
  }

  /** Everything that happened to a document, oldest first. */
  history(doc_id: string, tenant_id?: string): AsyncIterable<AuditRecord> {
    return this.#audit.records({ kind: 'document', id: doc_id, tenant_id: this.#tenant(tenant_id) })
  }

  /** One page. */
  async list(query: ListDocuments = {}): Promise<Page<DocumentRecord>> {
    return this.#committer.store.find(this.#find(query))
  }

  /** All that match, read page by page as they are asked for: a million take no more memory than a thousand. */
  records(filter: DocumentFilter = {}): AsyncGenerator<DocumentRecord> {
    return findAll(this.#committer.store, this.#find(filter))
  }

  /**
   * Documents that have been in an unfinished state for so many hours or more, the longest first. Without `hours`
   * each state has its own measure: the time in which 99 of 100 documents left it.
   */
  async getStuckDocuments(
    hours?: number,
    query: Omit<StuckQuery, 'hours'> = {},
  ): Promise<readonly StuckDocument[]> {
    return Array.fromAsync(this.stuck({ ...query, hours }))
  }

  /** The same as they are found, when they may be many. */
  async *stuck(query: StuckQuery = {}): AsyncGenerator<StuckDocument> {
    const { store } = this.#committer
    const own = { ...query, tenant_id: tenantToFind(query.tenant_id, this.#settings) }
    yield* stuckDocuments(store, own, await thresholdsFor(store, own), this.#clock.now())
  }

  /** What counts as too long in each state when `stuck` is asked the same. */
  stuckThresholds(query: StuckQuery = {}): Promise<readonly StuckThreshold[]> {
    const tenant_id = tenantToFind(query.tenant_id, this.#settings)
    return thresholdsFor(this.#committer.store, { ...query, tenant_id })
  }

  /**
   * A document as it was at a time (epoch milliseconds), told from its history; null when it was not known then.
   */
  async asOf(doc_id: string, at: number, tenant_id?: string): Promise<DocumentAsOf | null> {
    const key = { tenant_id: this.#tenant(tenant_id), id: doc_id, at }
    return documentAsOf(this.#committer.store, this.#audit, key)
  }

  /** Writes the full state to a snapshot file and starts a new delta, as it happens by itself every day. */
  createSnapshot(options?: ProgressOptions): Promise<MaintenanceReport> {
    return this.#committer.store.maintain(options)
  }

  #find({ state, adapter, tenant_id, ...rest }: ListDocuments): FindQuery<'document'> {
    return {
      kind: 'document',
      tenant_id: tenantToFind(tenant_id, this.#settings),
      where: { state, adapter },
      ...rest,
    }
  }

  #tenant(tenant_id: string | undefined): string {
    return tenant_id ?? this.#settings.tenant_id
  }
}
