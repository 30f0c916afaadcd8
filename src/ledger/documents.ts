import type { AuditRecord } from '../core/audit.ts'
import type { UpdateDocument } from '../core/document/decide.ts'
import type { DocumentRecord } from '../core/document/record.ts'
import type { DeprecatedState, LedgerState } from '../core/document/states.ts'
import { documentMachine } from '../core/machines/document.ts'
import type { Page, PageOptions } from '../store/query.ts'
import type { AuditLog } from './audit-log.ts'
import type { Commands, UpdateOptions } from './commands.ts'
import type { Committer } from './committer.ts'
import type { LedgerSettings } from './settings.ts'

export interface ListDocuments extends PageOptions {
  readonly tenant_id?: string | undefined
  readonly state?: LedgerState | readonly LedgerState[] | undefined
  readonly adapter?: string | undefined
}

/** `ledger.documents`: where every document is, and how it got there. */
export class Documents {
  readonly #committer: Committer
  readonly #commands: Commands
  readonly #audit: AuditLog
  readonly #settings: LedgerSettings

  constructor(committer: Committer, commands: Commands, audit: AuditLog, settings: LedgerSettings) {
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

  async list(query: ListDocuments = {}): Promise<Page<DocumentRecord>> {
    const { state, adapter, tenant_id, ...rest } = query
    return this.#committer.store.find({
      kind: 'document',
      tenant_id: this.#tenant(tenant_id),
      where: { state, adapter },
      ...rest,
    })
  }

  #tenant(tenant_id: string | undefined): string {
    return tenant_id ?? this.#settings.tenant_id
  }
}
