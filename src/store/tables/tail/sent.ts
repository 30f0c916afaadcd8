import type { AggregateKind } from '../../../core/aggregate.ts'
import { TwoKeys } from '../../live/two-keys.ts'
import { FIRST_VERSION } from '../born-row.ts'
import type { WriteSet } from '../tables.ts'
import type { Mark } from './tail.ts'

/** A write that is on its way to the end of the log. */
export class Sent {
  readonly set: WriteSet
  /** Which of the writes that are known of it is. */
  readonly nth: number
  /** Where the log is to end before it. */
  readonly after: Mark
  #versions: Map<AggregateKind, TwoKeys<number>> | null = null

  constructor(set: WriteSet, nth: number, after: Mark) {
    this.set = set
    this.nth = nth
    this.after = after
  }

  /** The version that it gives an aggregate; undefined when it does not change it. */
  versionOf(kind: AggregateKind, tenant_id: string, id: string): number | undefined {
    this.#versions ??= versionsOf(this.set)
    return this.#versions.get(kind)?.get(tenant_id, id)
  }
}

function versionsOf(set: WriteSet): Map<AggregateKind, TwoKeys<number>> {
  const versions = new Map<AggregateKind, TwoKeys<number>>()
  const put = (kind: AggregateKind, tenant_id: string, id: string, version: number) => {
    let ofKind = versions.get(kind)
    if (ofKind === undefined) {
      ofKind = new TwoKeys()
      versions.set(kind, ofKind)
    }
    ofKind.set(tenant_id, id, version)
  }
  const { lone } = set
  if (lone !== undefined) {
    put('job', lone.tenant_id, lone.job_id, FIRST_VERSION)
    return versions
  }
  const { runs, strides, newJobs, jobs, records } = set
  for (const { births } of runs) {
    for (const { tenant_id, job_id } of births) put('job', tenant_id, job_id, FIRST_VERSION)
  }
  for (const { strides: some, columns } of strides) {
    for (const { job_id } of some) put('job', columns.tenant_id, job_id, columns.version)
  }
  for (const { tenant_id, job_id, version } of newJobs) put('job', tenant_id, job_id, version)
  for (const { tenant_id, job_id, version } of jobs) put('job', tenant_id, job_id, version)
  for (const { kind, tenant_id, id, version } of records) put(kind, tenant_id, id, version)
  return versions
}
