import type { AuditRecord } from '../core/audit.ts'
import type { UpdateDocument } from '../core/document/decide.ts'
import type { DocumentRecord } from '../core/document/record.ts'
import { type DeprecatedState, type LedgerState, mapState } from '../core/document/states.ts'
import type { JsonObject } from '../core/json.ts'
import { documentMachine } from '../core/machines/document.ts'
import { InvalidInput } from '../errors/input-errors.ts'
import type { Page } from '../store/query.ts'
import type { AuditLog } from './audit-log.ts'
import { checkCount, checkId, checkJson } from './check-input.ts'
import type { Committer } from './committer.ts'
import { errorContextOf } from './error-context.ts'
import type { CallOptions, LedgerSettings } from './settings.ts'

export interface UpdateOptions extends CallOptions {
  /** Which source or stage reports this. */
  readonly adapter?: string | undefined
  /** Laid over the metadata that the document has. */
  readonly metadata?: JsonObject | undefined
  /** What was thrown: its type, message and stack go into the history. */
  readonly error?: unknown
  readonly retry_count?: number | undefined
  readonly max_retries?: number | undefined
  /** False takes an edge that the machine does not declare. */
  readonly validate?: boolean | undefined
}

export interface ListDocuments {
  readonly tenant_id?: string | undefined
  readonly state?: LedgerState | readonly LedgerState[] | undefined
  readonly adapter?: string | undefined
  /** Epoch milliseconds of the last change; from is included, before is not. */
  readonly changedFrom?: number | undefined
  readonly changedBefore?: number | undefined
  readonly order?: 'id' | 'changed' | undefined
  readonly direction?: 'asc' | 'desc' | undefined
  readonly after?: string | undefined
  readonly limit?: number | undefined
}

type Warn = (message: string, code: string) => void

/** `ledger.documents`: where every document is, and how it got there. */
export class Documents {
  readonly #committer: Committer
  readonly #audit: AuditLog
  readonly #settings: LedgerSettings
  readonly #warn: Warn
  readonly #warned = new Set<string>()

  constructor(committer: Committer, audit: AuditLog, settings: LedgerSettings, warn: Warn) {
    this.#committer = committer
    this.#audit = audit
    this.#settings = settings
    this.#warn = warn
  }

  /** Moves a document to a state. A document not seen before is `pending`. */
  updateState(doc_id: string, state: LedgerState, options?: UpdateOptions): Promise<DocumentRecord>
  /** @deprecated Use a `LedgerState`. Old names are mapped, work the same, and warn once each. */
  updateState(doc_id: string, state: DeprecatedState, options?: UpdateOptions): Promise<DocumentRecord>
  async updateState(doc_id: string, state: string, options: UpdateOptions = {}): Promise<DocumentRecord> {
    return this.#committer.run(this.command(doc_id, state, options))
  }

  /** The command behind `updateState`, for `ledger.batch`. */
  command(doc_id: string, state: string, options: UpdateOptions = {}): UpdateDocument {
    if (options.metadata !== undefined) checkJson('metadata', options.metadata)
    return {
      type: 'updateDocument',
      tenant_id: checkId('tenant_id', options.tenant_id ?? this.#settings.tenant_id),
      doc_id: checkId('doc_id', doc_id),
      state: this.#mapState(state),
      actor: options.actor ?? this.#settings.actor,
      reason: options.reason ?? null,
      adapter: options.adapter,
      metadata: options.metadata,
      error: options.error === undefined ? undefined : errorContextOf(options.error),
      retry_count: checkOptional('retry_count', options.retry_count),
      max_retries: checkOptional('max_retries', options.max_retries),
      if_match: options.if_match,
      validate: options.validate ?? this.#settings.validateTransitions,
    }
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

  #mapState(name: unknown): LedgerState {
    if (typeof name !== 'string' || name.trim() === '') {
      const legal = Object.keys(documentMachine.states).join(', ')
      throw new InvalidInput('state', 'state must be the name of a state', `Use one of: ${legal}.`)
    }
    const { state, deprecated } = mapState(name)
    if (deprecated && !this.#warned.has(name)) {
      this.#warned.add(name)
      this.#warn(
        `The state ${JSON.stringify(name)} is taken for LedgerState.${state.toUpperCase()}; write that instead.`,
        'WAYBILL_DEP_STRING_STATE',
      )
    }
    return state
  }
}

function checkOptional(field: string, value: number | undefined): number | undefined {
  return value === undefined ? undefined : checkCount(field, value)
}
