import type { AuditRecord } from '../core/audit.ts'
import type { Command } from '../core/command.ts'
import type { RecordKind } from '../core/machines/all.ts'
import type { Capabilities } from '../store/capabilities.ts'
import type { Finding, Store, StoreStats, WatchOptions } from '../store/store.ts'
import type { World } from '../world/world.ts'
import { advanceDue } from './advance.ts'
import { AuditLog } from './audit-log.ts'
import { Committer } from './committer.ts'
import { Documents } from './documents.ts'
import { Jobs } from './jobs.ts'
import type { LedgerSettings } from './settings.ts'

/** Who fires timers and delivers signals, in the history. */
const TIMEKEEPER = 'timekeeper'

/** An open ledger. Close it when done, or declare it with `await using`. */
export class Ledger implements AsyncDisposable {
  readonly documents: Documents
  readonly jobs: Jobs
  readonly audit: AuditLog
  readonly #store: Store
  readonly #committer: Committer

  constructor(store: Store, settings: LedgerSettings, world: World) {
    this.#store = store
    this.#committer = new Committer(store, world.logger)
    this.audit = new AuditLog(store)
    this.documents = new Documents(this.#committer, this.audit, settings, world.warn)
    this.jobs = new Jobs(this.#committer, this.audit, settings, world)
  }

  get capabilities(): Capabilities {
    return this.#store.capabilities
  }

  /**
   * The history as it happens: from a cursor on (`START` is the beginning), then live. Nothing is skipped and
   * nothing comes twice, also when it is taken up again from the last cursor seen.
   */
  events(options: WatchOptions = {}): AsyncIterable<AuditRecord> {
    return this.#store.watch(options)
  }

  /** Several commands as one change: all or none. Make them with `documents.command` and `jobs.command`. */
  batch(commands: readonly Command[]): Promise<readonly unknown[]> {
    return this.#committer.runAll(commands)
  }

  /** Does whatever is due: timers, retries, jobs whose dependencies ended. Answers how many jobs it looked at. */
  advance(): Promise<number> {
    return advanceDue(this.#store, TIMEKEEPER)
  }

  /** When `advance` next has something to do: epoch milliseconds, or null. */
  nextDue(): Promise<number | null> {
    return this.#store.nextDue()
  }

  counts(kind: RecordKind, tenant_id?: string): Promise<{ readonly [state: string]: number }> {
    return this.#store.counts(kind, tenant_id)
  }

  stats(): Promise<StoreStats> {
    return this.#store.stats()
  }

  /** Looks for damage and contradictions; an empty list is good news. */
  check(): Promise<readonly Finding[]> {
    return this.#store.check()
  }

  close(): Promise<void> {
    return this.#store.close()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }
}
