import { isDeepStrictEqual } from 'node:util'
import { idOf, type JobAggregate, type LedgerRecord } from '../../src/core/aggregate.ts'
import { inRows } from '../../src/store/tables/in-rows.ts'
import { decodeJob } from '../../src/store/tables/job-codec.ts'
import type { WriteSet } from '../../src/store/tables/tables.ts'
import { nameOf, toldName } from './shadow.ts'

/** The records that a write has, as they are when it is written. */
export class SentRecords {
  readonly #records = new Map<string, LedgerRecord>()

  /** @param born what never changes of jobs, by their names: that of new ones is added */
  constructor(set: WriteSet, born: Map<string, string>) {
    const { newJobs, jobs, records, rows } = inRows(set)
    for (const row of newJobs) born.set(jobName(row), row.fixed)
    for (const row of [...newJobs, ...jobs]) {
      const fixed = born.get(jobName(row)) as string
      this.#addJob(decodeJob({ fixed, moving: row.moving }).aggregate)
    }
    for (const { body } of [...records, ...rows]) this.#add(JSON.parse(body) as LedgerRecord)
  }

  get names(): string {
    return [...this.#records.values()].map((record) => `${record.kind} ${idOf(record)}`).join(', ')
  }

  get isEmpty(): boolean {
    return this.#records.size === 0
  }

  /** Whether all that was put is here, as it was put last. */
  are(puts: readonly LedgerRecord[]): boolean {
    const last = new Map(puts.map((put) => [nameOfRecord(put), put]))
    return [...last].every(([name, put]) => isDeepStrictEqual(this.#records.get(name), put))
  }

  #addJob({ job, steps, outbox }: JobAggregate): void {
    for (const record of [job, ...steps, ...outbox]) this.#add(record)
  }

  #add(record: LedgerRecord): void {
    this.#records.set(nameOfRecord(record), record)
  }
}

function jobName({ tenant_id, job_id }: { tenant_id: string; job_id: string }): string {
  return nameOf(tenant_id, job_id)
}

function nameOfRecord(record: LedgerRecord): string {
  const { kind, tenant_id } = record
  return toldName({ kind, tenant_id, id: idOf(record) })
}
