import type { RecordOf } from '../core/aggregate.ts'
import type { GroupKind } from '../core/group/commands.ts'
import { OPEN_JOB } from '../core/group/member-jobs.ts'
import type { RunRecord } from '../core/group/run-record.ts'
import type { WorkstreamRecord } from '../core/group/workstream-record.ts'
import type { JsonObject } from '../core/json.ts'
import type { RunState } from '../core/machines/run.ts'
import type { WorkstreamState } from '../core/machines/workstream.ts'
import { findAll } from '../store/find-all.ts'
import type { Page, PageOptions } from '../store/query.ts'
import type { CreateOptions } from './command-options.ts'
import type { Commands } from './commands.ts'
import type { Committer } from './committer.ts'
import type { EventInput } from './group-commands.ts'
import { groupFacts } from './group-facts.ts'
import type { CallOptions, LedgerSettings } from './settings.ts'
import { tenantToFind } from './tenant-to-find.ts'

/** Who follows the jobs of runs and workstreams, in the history. */
const FOLLOWER = 'roll-up'

interface GroupQuery<S> extends PageOptions {
  /** `*` for all of them. */
  readonly tenant_id?: string | undefined
  readonly state?: S | readonly S[] | undefined
}

/** What runs and workstreams have in common: jobs that belong together, and that they follow. */
class Groups<K extends GroupKind, S extends string> {
  protected readonly committer: Committer
  protected readonly commands: Commands
  protected readonly kind: K
  protected readonly settings: LedgerSettings

  constructor(kind: K, committer: Committer, commands: Commands, settings: LedgerSettings) {
    this.kind = kind
    this.committer = committer
    this.commands = commands
    this.settings = settings
  }

  async get(id: string, tenant_id?: string): Promise<RecordOf[K] | null> {
    return this.committer.store.get({ kind: this.kind, tenant_id: this.tenant(tenant_id), id })
  }

  /** Says where it stands, whatever its jobs do: what it is told at its end counts. */
  async update(id: string, state: S, options?: CallOptions): Promise<RecordOf[K]> {
    return this.committer.run(this.commands.moveGroup(this.kind, id, state, options)) as Promise<RecordOf[K]>
  }

  /** No more jobs are to come: it ends when those it has do. */
  async seal(id: string, options?: CallOptions): Promise<RecordOf[K]> {
    await this.committer.run(this.commands.sealGroup(this.kind, id, options))
    return this.follow(id, options?.tenant_id)
  }

  /** Something to know about it; a field that is null goes. */
  async annotate(id: string, metadata: JsonObject, options?: CallOptions): Promise<RecordOf[K]> {
    const command = this.commands.annotateGroup(this.kind, id, metadata, null, options)
    return this.committer.run(command) as Promise<RecordOf[K]>
  }

  /** Something that happened to it, for whoever follows the history. */
  async record(id: string, event: EventInput, options?: CallOptions): Promise<RecordOf[K]> {
    const command = this.commands.annotateGroup(this.kind, id, {}, event, options)
    return this.committer.run(command) as Promise<RecordOf[K]>
  }

  /** Lets it catch up with its jobs; a ledger with workers does that by itself. */
  async follow(id: string, tenant_id?: string): Promise<RecordOf[K]> {
    return (await this.followed(id, tenant_id)).record
  }

  /** The same, with an open job of it: until that has ended, it cannot end either. */
  async followed(id: string, tenant_id?: string): Promise<{ record: RecordOf[K]; witness: string | null }> {
    const key = { kind: this.kind, tenant_id: this.tenant(tenant_id), id }
    const { witness, ...facts } = await groupFacts(this.committer.store, key)
    const options = { actor: FOLLOWER, tenant_id: key.tenant_id }
    const record = await this.committer.run(this.commands.followGroup(this.kind, id, facts, options))
    return { record: record as RecordOf[K], witness }
  }

  protected find(
    { tenant_id, state, ...page }: GroupQuery<S>,
    where: { readonly run_id?: string | undefined } = {},
  ): Promise<Page<RecordOf[K]>> {
    return this.committer.store.find<K>({
      kind: this.kind,
      tenant_id: tenantToFind(tenant_id, this.settings),
      where: { ...where, state },
      ...page,
    })
  }

  protected tenant(tenant_id: string | undefined): string {
    return tenant_id ?? this.settings.tenant_id
  }
}

export interface ListRuns extends GroupQuery<RunState> {}

/** `ledger.runs`: jobs that were started together. */
export class Runs extends Groups<'run', RunState> {
  constructor(committer: Committer, commands: Commands, settings: LedgerSettings) {
    super('run', committer, commands, settings)
  }

  /** A new run; an id is made up unless one is given. A job that names a run makes it, too. */
  async create(
    run: { readonly run_id?: string | undefined; readonly metadata?: JsonObject | undefined } = {},
    options?: CreateOptions,
  ): Promise<RunRecord> {
    return (await this.committer.run(this.commands.createRun(run, options))) as RunRecord
  }

  /** No more jobs are to come, nor for its workstreams: they end when the jobs they have do. */
  override async seal(run_id: string, options?: CallOptions): Promise<RunRecord> {
    const run = await super.seal(run_id, options)
    const { tenant_id } = run
    const { store } = this.committer
    for await (const { workstream_id } of findAll(store, {
      kind: 'workstream',
      tenant_id,
      where: { run_id },
    })) {
      await new Workstreams(this.committer, this.commands, this.settings).follow(workstream_id, tenant_id)
    }
    return run
  }

  list(query: ListRuns = {}): Promise<Page<RunRecord>> {
    return this.find(query)
  }

  /** Cancels what is open of it, and takes no more jobs. It ends when the last of them has stopped, or at once. */
  async cancel(run_id: string, options: CallOptions = {}): Promise<RunRecord> {
    const tenant_id = this.tenant(options.tenant_id)
    const { store } = this.committer
    const open = { kind: 'job', tenant_id, where: { run_id, state: OPEN_JOB } } as const
    const isIdle = (await store.find({ ...open, limit: 1 })).items.length === 0
    // Nobody has to stop first.
    if (isIdle)
      return (await this.committer.run(
        this.commands.stopGroup('run', run_id, 'cancelled', options),
      )) as RunRecord
    await this.committer.run(this.commands.sealGroup('run', run_id, options))
    for await (const { job_id } of findAll(store, open)) {
      await this.committer.run(this.commands.cancel(job_id, { ...options, if_match: undefined }))
    }
    return this.follow(run_id, tenant_id)
  }
}

export interface ListWorkstreams extends GroupQuery<WorkstreamState> {
  readonly run_id?: string | undefined
}

/** `ledger.workstreams`: lines of work inside a run. */
export class Workstreams extends Groups<'workstream', WorkstreamState> {
  constructor(committer: Committer, commands: Commands, settings: LedgerSettings) {
    super('workstream', committer, commands, settings)
  }

  /** A new workstream. A job that names one makes it, too. */
  async create(
    workstream: {
      readonly workstream_id?: string | undefined
      readonly run_id?: string | undefined
      readonly metadata?: JsonObject | undefined
    } = {},
    options?: CreateOptions,
  ): Promise<WorkstreamRecord> {
    return (await this.committer.run(this.commands.createWorkstream(workstream, options))) as WorkstreamRecord
  }

  list({ run_id, ...query }: ListWorkstreams = {}): Promise<Page<WorkstreamRecord>> {
    return this.find(query, { run_id })
  }
}
