import {
  type AggregateKind,
  type AggregateOf,
  applyToJob,
  idOf,
  type JobAggregate,
  type RecordKey,
} from '../../core/aggregate.ts'
import type { Change } from '../../core/decision.ts'
import { byJob, isJobPart, type JobPart, type LiveState } from '../live/live-state.ts'
import { TwoKeys } from '../live/two-keys.ts'

interface Decided<K extends AggregateKind = AggregateKind> {
  readonly aggregate: AggregateOf[K]
  /** First seq of the commit that made it. */
  readonly commit: number
}

/**
 * What was decided and is not durable yet, laid over what is. Decisions look here first; readers never do. When a
 * commit is durable it is written into the live state and forgotten here; when it fails everything here goes.
 */
export class PendingState {
  readonly #live: LiveState
  #decided: { readonly [K in AggregateKind]: TwoKeys<Decided> } = nothing()

  constructor(live: LiveState) {
    this.#live = live
  }

  /** Undefined when nothing is pending for it. */
  aggregate<K extends AggregateKind>(kind: K, tenant_id: string, id: string): AggregateOf[K] | undefined {
    return this.#decided[kind].get(tenant_id, id)?.aggregate as AggregateOf[K] | undefined
  }

  has({ kind, tenant_id, id }: RecordKey): boolean {
    return this.#decided[kind].get(tenant_id, id) !== undefined
  }

  add({ puts }: Change, commit: number): void {
    let parts: JobPart[] | undefined
    for (const put of puts) {
      if (!isJobPart(put)) this.#decided[put.kind].set(put.tenant_id, idOf(put), { aggregate: put, commit })
      else if (parts === undefined) parts = [put]
      else parts.push(put)
    }
    if (parts !== undefined) for (const group of byJob(parts)) this.#addJob(group, commit)
  }

  /** The commit is durable. */
  settle(change: Change, commit: number): void {
    this.#live.write(change)
    for (const put of change.puts) {
      if (isJobPart(put)) this.#forget('job', put.tenant_id, put.job_id, commit)
      else this.#forget(put.kind, put.tenant_id, idOf(put), commit)
    }
  }

  clear(): void {
    this.#decided = nothing()
  }

  #addJob(parts: readonly JobPart[], commit: number): void {
    const { tenant_id, job_id } = parts[0] as JobPart
    const before: JobAggregate | null =
      this.aggregate('job', tenant_id, job_id) ?? this.#live.aggregate('job', tenant_id, job_id)
    this.#decided.job.set(tenant_id, job_id, { aggregate: applyToJob(before, parts), commit })
  }

  /** Unless a later commit has changed it again. */
  #forget(kind: AggregateKind, tenant_id: string, id: string, commit: number): void {
    if (this.#decided[kind].get(tenant_id, id)?.commit === commit) this.#decided[kind].delete(tenant_id, id)
  }
}

function nothing() {
  return {
    document: new TwoKeys<Decided>(),
    job: new TwoKeys<Decided>(),
    run: new TwoKeys<Decided>(),
    workstream: new TwoKeys<Decided>(),
  }
}
