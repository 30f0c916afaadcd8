import {
  type AloneRecord,
  isJobPart,
  type JobAggregate,
  type LedgerRecord,
  nameOfKey,
  type RecordKey,
} from '../../core/aggregate.ts'
import { Birth } from '../../core/job/birth.ts'
import { isAlike, Stride } from '../../core/job/stride.ts'
import { FIRST_VERSION, holdsOf } from './born-row.ts'
import { type BornJob, decodeJob } from './job-codec.ts'
import type { Waiting } from './read-births.ts'
import type { JobRow, RecordRow } from './tables.ts'

export type Aggregate = JobAggregate | AloneRecord

/** An aggregate as it was read from its row, or as it is known not to be there. */
export interface StoredCell {
  readonly key: RecordKey
  readonly aggregate: Aggregate | null
  /** 0 when there is none. */
  readonly version: number
  readonly holds: readonly string[]
  readonly born: BornJob | null
}

const NOTHING: readonly string[] = Object.freeze([])

export function absentCell({ kind, tenant_id, id }: RecordKey): StoredCell {
  return { key: { kind, tenant_id, id }, aggregate: null, version: 0, holds: NOTHING, born: null }
}

export function cellOfJob(row: JobRow): StoredCell {
  const { aggregate, born } = decodeJob(row)
  const { tenant_id, job_id: id, version, holds } = row
  return { key: { kind: 'job', tenant_id, id }, aggregate, version, holds, born }
}

/** One that is as it was born. */
export function cellOfBirth(birth: Birth): StoredCell {
  const { tenant_id, job_id: id, form } = birth
  const key = { kind: 'job', tenant_id, id } as const
  return { key, aggregate: birth, version: FIRST_VERSION, holds: holdsOf(form), born: birth }
}

export function cellOfWaiting(waiting: Waiting): StoredCell {
  return waiting instanceof Birth ? cellOfBirth(waiting) : cellOfJob(waiting)
}

export function cellOfRecord({ kind, tenant_id, id, version, body }: RecordRow): StoredCell {
  const aggregate = JSON.parse(body) as AloneRecord
  return { key: { kind, tenant_id, id }, aggregate, version, holds: NOTHING, born: null }
}

/** The same while decisions are made on it: what it was, and what it is to become. */
export class Cell {
  readonly stored: StoredCell
  /** It was read for these very decisions; else it is from earlier, and somebody may have changed it since. */
  readonly isFresh: boolean
  now: Aggregate | null
  version: number
  holds: readonly string[]
  /** The history has something about it. */
  isTold = false
  /** Its row, where it is new and the row was made. */
  row: JobRow | null = null
  #written: StoredCell | null = null

  constructor(stored: StoredCell, isFresh: boolean) {
    this.stored = stored
    this.isFresh = isFresh
    this.now = stored.aggregate
    this.version = stored.version
    this.holds = stored.holds
  }

  get isChanged(): boolean {
    return this.version !== this.stored.version
  }

  get name(): string {
    return nameOfKey(this.stored.key)
  }

  /** It holds no place under this limit any more. Answers whether it did. */
  letGo(key: string): boolean {
    if (!this.holds.includes(key)) return false
    this.holds = this.holds.length === 1 ? NOTHING : this.holds.filter((one) => one !== key)
    return true
  }

  /** As its row is when it is written: nothing is decided on it any more. */
  written(): StoredCell {
    const { key, born } = this.stored
    this.#written ??= {
      key,
      aggregate: this.now,
      version: this.version,
      holds: this.holds,
      born: born ?? bornOf(this.now),
    }
    return this.#written
  }
}

/** What it has in the place of a record that is put; of outbox rows those that are open. */
export function partOf({ now }: Cell, put: LedgerRecord): LedgerRecord | null {
  if (!isJobPart(put)) return now as AloneRecord | null
  const job = now as JobAggregate | null
  if (put.kind === 'job') return job?.job ?? null
  if (put.kind === 'step') return job?.steps[put.step_index] ?? null
  return job?.outbox.find(({ outbox_id }) => outbox_id === put.outbox_id) ?? null
}

/** A job that is about to be, as it is born. */
export function bornCell(birth: Birth): Cell {
  const { tenant_id, job_id: id } = birth
  const cell = new Cell(absentCell({ kind: 'job', tenant_id, id }), false)
  bear(cell, birth)
  return cell
}

export function bear(cell: Cell, birth: Birth): void {
  cell.version = FIRST_VERSION
  cell.now = birth
  cell.holds = holdsOf(birth.form)
  cell.isTold = true
}

function bornOf(aggregate: Aggregate | null): BornJob | null {
  if (isAlike(aggregate)) return aggregate instanceof Stride ? aggregate.birth : aggregate
  return aggregate === null || 'kind' in aggregate ? null : { job: aggregate.job, steps: aggregate.steps }
}
