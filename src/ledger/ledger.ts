import type { RecordOf } from '../core/aggregate.ts'
import type { AuditRecord } from '../core/audit.ts'
import type { Answers } from '../core/batch.ts'
import type { Command } from '../core/command.ts'
import type { CountedKind } from '../core/counts-as-of.ts'
import { change } from '../core/decision.ts'
import type { GroupKind } from '../core/group/commands.ts'
import type { Why } from '../core/job/why.ts'
import type { RecordKind } from '../core/machines/all.ts'
import type { Radar } from '../core/radar/radar.ts'
import type { Capabilities } from '../store/capabilities.ts'
import { findAll } from '../store/find-all.ts'
import type { ProgressOptions } from '../store/progress.ts'
import type { FindQuery } from '../store/query.ts'
import type {
  Finding,
  MaintenanceReport,
  NextDueOptions,
  ServerNotice,
  Store,
  StoreStats,
  SubscribeOptions,
  WatchOptions,
} from '../store/store.ts'
import type { Logger } from '../world/logger.ts'
import type { World } from '../world/world.ts'
import { Admission } from './admission.ts'
import { advanceDue } from './advance.ts'
import { countsAsOf } from './as-of.ts'
import { AuditLog } from './audit-log.ts'
import { checkId } from './check-input.ts'
import { Commands } from './commands.ts'
import { Committer, type Observe, type OnSteered } from './committer.ts'
import { Documents } from './documents.ts'
import { Jobs } from './jobs.ts'
import { type MigrateOptions, migrate } from './legacy/migrate.ts'
import type { MigrationReport } from './legacy/migration-report.ts'
import type { Outputs } from './outputs.ts'
import { type Overview, overview } from './overview.ts'
import { Protocols } from './protocols.ts'
import { Queues } from './queues.ts'
import { type RadarQuery, radar } from './radar.ts'
import type { Redact } from './redact.ts'
import { Runs, Workstreams } from './runs.ts'
import { Schedules } from './schedules.ts'
import type { LedgerSettings } from './settings.ts'
import { knownTenants, type TenantList, tenantsNamed } from './tenants.ts'
import { Tokens } from './tokens.ts'
import { Views } from './views.ts'
import { why } from './why.ts'

/** What is known of how the ledger was opened. */
export interface Opening {
  readonly observe?: Observe
  readonly openMs?: number
  /** What tells this ledger from others on the same machine. */
  readonly identity?: () => string
  /** Where large outputs go; they stay with their steps when absent. */
  readonly outputs?: Outputs | null
}

export interface LedgerStats extends StoreStats {
  /** How long it took to open the ledger, in milliseconds. */
  readonly open_ms: number
}

/** An open ledger. Close it when done, or declare it with `await using`. */
export class Ledger implements AsyncDisposable {
  readonly documents: Documents
  readonly jobs: Jobs
  readonly runs: Runs
  readonly workstreams: Workstreams
  readonly queues: Queues
  readonly schedules: Schedules
  readonly tokens: Tokens
  readonly audit: AuditLog
  readonly views: Views
  #identity: string | (() => string)
  readonly #store: Store
  readonly #openMs: number
  readonly #committer: Committer
  readonly #commands: Commands
  readonly #admission: Admission
  readonly #settings: LedgerSettings
  readonly #world: World

  constructor(store: Store, settings: LedgerSettings, world: World, opening: Opening = {}) {
    const { observe = null, openMs = 0 } = opening
    this.#identity = opening.identity ?? (() => world.ids.next())
    this.#store = store
    this.#settings = settings
    this.#world = world
    this.#openMs = openMs
    this.#committer = new Committer(store, world.logger, observe)
    this.#admission = new Admission(store, world.logger)
    const protocols = new Protocols()
    this.#commands = new Commands(settings, protocols, world)
    this.audit = new AuditLog(store)
    this.documents = new Documents(this.#committer, this.#commands, this.audit, settings, world.clock)
    this.jobs = new Jobs(
      this.#committer,
      this.#commands,
      this.audit,
      settings,
      protocols,
      opening.outputs ?? null,
      world.timers,
      this.#admission,
    )
    this.runs = new Runs(this.#committer, this.#commands, settings)
    this.workstreams = new Workstreams(this.#committer, this.#commands, settings)
    this.queues = new Queues(this.#committer, this.#commands)
    this.schedules = new Schedules(this.#committer, this.#commands, settings, world.logger)
    this.tokens = new Tokens(this.#committer, settings, world)
    this.views = new Views(store, world.clock)
  }

  /** The same whenever and by whomever it is opened, and no other ledger's. It tells nothing else. */
  get identity(): string {
    if (typeof this.#identity === 'function') this.#identity = this.#identity()
    return this.#identity
  }

  /** Whose records calls are about that name no tenant. */
  get defaultTenant(): string {
    return this.#settings.tenant_id
  }

  get logger(): Logger {
    return this.#world.logger
  }

  /** Takes secrets out of text. */
  get redact(): Redact {
    return this.#settings.redact
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

  /**
   * Several commands as one change: all or none, each seeing what the ones before it did. The answers come in the
   * order of the commands.
   *
   * ```ts
   * await ledger.batch((make) => [make.result(step, { status: 'SUCCEEDED' }), make.updateState(id, 'parsed')])
   * ```
   */
  async batch<const C extends readonly Command[]>(commands: (make: Commands) => C): Promise<Answers<C>> {
    return this.#committer.runAll(commands(this.#commands))
  }

  /** Does whatever is due: timers, retries, jobs whose dependencies ended. Answers how many jobs it advanced. */
  async advance(): Promise<number> {
    return (await this.#admission.admit()) + (await advanceDue(this.#committer))
  }

  /**
   * Why a job is where it is: what keeps it, until when, and the command that would get it moving. Null when there is no
   * such job.
   */
  why(job_id: string, tenant_id: string = this.#settings.tenant_id): Promise<Why | null> {
    return why(this.#store, this.#world.clock, { tenant_id, job_id })
  }

  /**
   * Where open work stands, stage by stage, what is stuck, and how the jobs fared that ended lately. It looks at tens of
   * thousands of records: whoever asks often keeps the answer for a while.
   */
  radar(query: RadarQuery): Promise<Radar> {
    return radar(this.#store, this.#world.clock.now(), query)
  }

  /** What stands still, what is still to be published, who works, and which runs ended last; `*` for all tenants. */
  overview(tenant_id: string = this.#settings.tenant_id): Promise<Overview> {
    return overview(this.#store, this.#world.clock, tenant_id)
  }

  /** Tenants with open jobs, those that something happened to lately, and the default one; or just those that are named. */
  tenants(named?: readonly string[]): Promise<TenantList> {
    return named === undefined
      ? knownTenants(this.#store, [this.#settings.tenant_id])
      : tenantsNamed(this.#store, named)
  }

  /** Runs or workstreams of all tenants that are in one of these states. */
  openGroups<K extends GroupKind>(kind: K, state: readonly string[]): AsyncIterable<RecordOf[K]> {
    return findAll<K>(this.#store, { kind, where: { state } } as FindQuery<K>)
  }

  /** When `advance` next has something to do: epoch milliseconds, 0 for at once, or null. */
  nextDue(options?: NextDueOptions): Promise<number | null> {
    return this.#store.nextDue(options)
  }

  /**
   * Calls back after changes became durable, others' too: too often perhaps, never too seldom. Who takes work may hear of
   * it before it is durable, and take it then. Answers how to stop it.
   */
  onNews(listener: () => void, options?: SubscribeOptions): () => void {
    return this.#store.subscribe(listener, options)
  }

  /** Calls back after a job was cancelled or expedited through this ledger. Answers how to stop it. */
  onSteered(listener: OnSteered): () => void {
    return this.#committer.onSteered(listener)
  }

  /** Throws what keeps the ledger from being read or written, if anything does. Nothing is written to find out. */
  async probe(): Promise<void> {
    await this.#store.transact([], () => change(null, {}))
    await this.#store.nextDue()
  }

  counts(kind: RecordKind, tenant_id?: string): Promise<{ readonly [state: string]: number }> {
    return this.#store.counts(kind, tenant_id)
  }

  /**
   * The same at an earlier time (epoch milliseconds), told from what has happened since. It takes the longer the more
   * that is; steps and outbox rows are not told.
   */
  countsAsOf(
    kind: CountedKind,
    at: number,
    tenant_id?: string,
  ): Promise<{ readonly [state: string]: number }> {
    return countsAsOf(this.#store, this.audit, { kind, at, tenant_id })
  }

  async stats(): Promise<LedgerStats> {
    return { ...(await this.#store.stats()), open_ms: this.#openMs }
  }

  /**
   * Makes a snapshot of everything, seals the history that led there, and removes what is older than it is kept. It
   * happens by itself as well; writing goes on meanwhile.
   */
  compact(options?: ProgressOptions): Promise<MaintenanceReport> {
    return this.#store.maintain(options)
  }

  /**
   * Takes over an old log: a file of JSON lines with `doc_id`, `state`, `timestamp` and `metadata`. Nothing is lost and
   * nothing is taken over twice, however often it is called; at its end a snapshot is made. A dry run only reports.
   */
  migrate(input: string, options: MigrateOptions = {}): Promise<MigrationReport> {
    const { redact, tenant_id } = this.#settings
    return migrate({
      ...options,
      input,
      redact,
      world: this.#world,
      tenant_id: options.tenant_id === undefined ? tenant_id : checkId('tenant_id', options.tenant_id),
      into:
        options.dryRun === true
          ? { what: 'nothing', output: null, store: this.#store }
          : { what: 'ledger', committer: this.#committer },
    })
  }

  /** Looks for damage and contradictions; an empty list is good news. */
  check(options?: ProgressOptions): Promise<readonly Finding[]> {
    return this.#store.check(options)
  }

  /**
   * Tells programs of the same user where a server answers for this ledger; null when none does any more. Only a ledger
   * that others cannot open meanwhile has to.
   */
  async announce(notice: ServerNotice | null): Promise<void> {
    await this.#store.announce?.(notice)
  }

  close(): Promise<void> {
    return this.#store.close()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }
}
