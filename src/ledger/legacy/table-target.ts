import type { AggregateOf } from '../../core/aggregate.ts'
import type { AuditEntry } from '../../core/audit.ts'
import type { Given, IdSource } from '../../core/decision.ts'
import { decideImport, type ImportAnswer } from '../../core/document/import.ts'
import type { DocumentRecord } from '../../core/document/record.ts'
import { must } from '../../core/must.ts'
import type { Store } from '../../store/store.ts'
import type { Clock } from '../../world/clock.ts'
import { DocumentTable } from './document-table.ts'
import { importCommand } from './import-command.ts'
import type { Batch, Target } from './target.ts'

interface TableParts {
  readonly tenant_id: string
  readonly input: string
  readonly clock: Clock
  /** What is there already; it is only looked at. */
  readonly store: Store | null
  /** What becomes of the entries for the history. */
  readonly onEntries?: (batch: Batch, entries: readonly AuditEntry[]) => Promise<void>
}

/**
 * Decides as a ledger would and keeps no more than the last state of each document. It is the whole of a dry run, and all
 * that another file needs.
 */
export class TableTarget implements Target {
  readonly #parts: TableParts
  readonly #table = new DocumentTable()

  constructor(parts: TableParts) {
    this.#parts = parts
  }

  get remembers(): boolean {
    return this.#parts.store !== null
  }

  async ownerOf(key: string): Promise<string | null> {
    const { store, tenant_id } = this.#parts
    return store === null ? null : store.ownerOf({ tenant_id, key })
  }

  async take(batch: Batch): Promise<ImportAnswer> {
    const { store, clock, onEntries } = this.#parts
    const given = new TableGiven(this.#table, clock.now(), store === null)
    const command = importCommand(batch, { ...this.#parts, isTold: false })
    let decision = decideImport(command, given)
    if (decision.kind === 'need' && store !== null) {
      for (const { tenant_id, id } of decision.keys) {
        given.looked.set(id, await store.get({ kind: 'document', tenant_id, id }))
      }
      decision = decideImport(command, given)
    }
    must(decision.kind === 'change', 'an import is not refused')
    for (const put of decision.change.puts) this.#table.set(put as DocumentRecord)
    await onEntries?.(batch, decision.change.audit)
    return decision.answer
  }
}

class TableGiven implements Given {
  readonly now: number
  readonly looked = new Map<string, DocumentRecord | null>()
  readonly ids: IdSource = { next: () => '' }
  readonly #table: DocumentTable
  readonly #isAll: boolean

  /** `isAll`: what is not in the table is nowhere. */
  constructor(table: DocumentTable, now: number, isAll: boolean) {
    this.#table = table
    this.now = now
    this.#isAll = isAll
  }

  get<K extends keyof AggregateOf>(
    _kind: K,
    tenant_id: string,
    id: string,
  ): AggregateOf[K] | null | undefined {
    const known = this.#table.get(tenant_id, id) ?? this.looked.get(id)
    return (known === undefined && this.#isAll ? null : known) as AggregateOf[K] | null | undefined
  }

  ownerOf(): undefined {
    return undefined
  }

  isFull(): boolean {
    return false
  }
}
