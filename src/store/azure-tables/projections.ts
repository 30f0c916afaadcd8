// Rows that follow from what was decided, for lists and for whoever looks with a tool. Writing one twice does no harm, and
// one that is written late does not undo a later one.
import { isAtRest, type JobAggregate } from '../../core/aggregate.ts'
import type { JobRecord, OutboxRecord } from '../../core/job/record.ts'
import type { Handover, Logged, Owed, RowRef } from './azure-cell.ts'
import { fittedRow, type NextRow, recordColumns, stepRow } from './cell-rows.ts'
import type { Engine } from './engine.ts'
import { byRecord, eventRow, refusalRef } from './event-rows.ts'
import { key, part } from './keys.ts'
import { whole } from './long-columns.ts'
import { type Months, monthKey, monthOf, monthOfId } from './months.ts'
import { columnsOf } from './record-columns.ts'
import type { Row, RowWrite } from './service.ts'
import { EVENTS, INDEX, JOBS, OUTBOX, STEPS } from './table-names.ts'
import { groupsOfWrites } from './write-groups.ts'

const MOST_TRIES = 100

/** A job as its row in `Jobs` is to be. */
export interface JobsRow {
  readonly job: JobRecord
  readonly version: number
  /** Of the record. */
  readonly recordEtag: string
  readonly pk: string
  /** Of the row there, as far as it is known. */
  readonly etag: string | null
  /** It has just been made. */
  readonly isNew: boolean
  /** It had not ended before. */
  readonly wasOpen: boolean
}

export class Projections {
  readonly #engine: Engine
  readonly #months: Months

  constructor(engine: Engine, months: Months) {
    this.#engine = engine
    this.#months = months
  }

  /** Answers the etag of the row. */
  async putJob(row: JobsRow): Promise<string> {
    const { job, version, recordEtag, pk, etag, isNew, wasOpen } = row
    const columns = { ...recordColumns(job), _v: version, _etag: recordEtag }
    const next = fittedRow({ table: JOBS, pk, rk: part(job.job_id) }, columns)
    await this.#months.note(monthOf(job.created_at))
    // Nothing that comes later could be overwritten.
    const isLast = wasOpen && isAtRest(job)
    if (isNew || isLast || etag !== null) {
      const write: RowWrite = isNew
        ? { verb: 'insert', ...next }
        : { verb: 'put', ...next, etag: isLast ? undefined : (etag as string) }
      const answer = await this.#engine.service.write(JOBS, pk, [write])
      if (answer.ok) return answer.etags[0] as string
    }
    return this.#putLater(JOBS, pk, next, version)
  }

  /** Only if what is there is older. */
  async #putLater(table: string, pk: string, next: NextRow, version: number): Promise<string> {
    const { service } = this.#engine
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      const there = await service.get(table, pk, next.rk)
      if (there !== null && (there.columns._v as number) >= version) return there.etag
      const answer = await service.write(table, pk, [
        there === null ? { verb: 'insert', ...next } : { verb: 'put', ...next, etag: there.etag },
      ])
      if (answer.ok) return answer.etags[0] as string
    }
    throw new Error(`a row of ${table} is written in the end`)
  }

  /** Directives that are to be published. */
  async addOutbox(rows: readonly OutboxRecord[]): Promise<void> {
    await Promise.all(
      rows.map(async (row) => {
        const { pk, next } = await this.#outboxRow(row)
        await this.#engine.service.write(OUTBOX, pk, [{ verb: 'insert', ...next }])
      }),
    )
  }

  /** Directives that are done with. Answers the etags of their rows. */
  closeOutbox(rows: readonly OutboxRecord[]): Promise<readonly string[]> {
    return Promise.all(
      rows.map(async (row) => {
        const { pk, next } = await this.#outboxRow(row)
        const answer = await this.#engine.service.write(OUTBOX, pk, [{ verb: 'put', ...next }])
        return answer.ok ? (answer.etags[0] as string) : ''
      }),
    )
  }

  async #outboxRow(row: OutboxRecord): Promise<{ readonly pk: string; readonly next: NextRow }> {
    const { tenant_id, outbox_id, created_at } = row
    const month = monthOf(created_at)
    const pk = monthKey(tenant_id, month)
    await this.#months.note(month)
    if (monthOfId(outbox_id) !== month)
      await this.#putAll(INDEX, outboxPlace(tenant_id, outbox_id), [{ rk: month, columns: {} }])
    return { pk, next: fittedRow({ table: OUTBOX, pk, rk: part(outbox_id) }, columnsOf(row)) }
  }

  /** Where an outbox row is, if it is anywhere. */
  async findOutbox(tenant_id: string, outbox_id: string): Promise<Row | null> {
    const { service } = this.#engine
    const get = (month: string) => service.get(OUTBOX, monthKey(tenant_id, month), part(outbox_id))
    const month = monthOfId(outbox_id)
    const row = month === null ? null : await get(month)
    if (row !== null) return row
    const { rows } = await service.query(INDEX, { pk: outboxPlace(tenant_id, outbox_id) })
    for (const { rk } of rows) {
      const found = await get(rk)
      if (found !== null) return found
    }
    return null
  }

  async putLateSteps(ref: RowRef, { steps }: Pick<JobAggregate, 'steps'>): Promise<void> {
    await this.#putAll(
      STEPS,
      ref.pk,
      steps.map((step) => stepRow(ref, step)),
    )
  }

  /** What is told of records that a change did not change is known by the change as well. */
  async putEvents(logged: readonly Logged[], change = ''): Promise<void> {
    await Promise.all(
      [...byRecord(logged)].map(([pk, some]) =>
        this.#putAll(
          EVENTS,
          pk,
          some.map((one) => eventRow(pk, one, change)),
        ),
      ),
    )
  }

  async countRefusals(refusals: Owed['refusals']): Promise<void> {
    await Promise.all(
      refusals.map(({ count, ...of }) => {
        const { table, pk, rk } = refusalRef(of)
        return this.#putAll(table, pk, [{ rk, columns: { ...of, count } }])
      }),
    )
  }

  async putMembers(members: Owed['members']): Promise<void> {
    await Promise.all(members.map(({ table, pk, rk, columns }) => this.#putAll(table, pk, [{ rk, columns }])))
  }

  /** Rows that are no longer needed, as long as they are what they were. */
  async remove(refs: Owed['releases']): Promise<void> {
    await Promise.all(
      refs.map(({ table, pk, rk, etag }) =>
        this.#engine.service.write(table, pk, [{ verb: 'delete', rk, etag: etag ?? undefined }]),
      ),
    )
  }

  /** What was put there in advance is right. */
  async confirm(change: string, refs: readonly RowRef[]): Promise<void> {
    await Promise.all(
      refs.map(async ({ table, pk, rk }) => {
        const row = await this.#engine.service.get(table, pk, rk)
        if (row === null || row.columns.change !== change) return
        const { change: _, by: __, at: ___, lane: ____, ...columns } = row.columns
        await this.#engine.service.write(table, pk, [{ verb: 'put', rk, columns, etag: row.etag }])
      }),
    )
  }

  /** A place under a limit goes from one to another, unless it has. */
  async handOver({ table, pk, rk, from, columns }: Handover): Promise<void> {
    const row = await this.#engine.service.get(table, pk, rk)
    if (row === null || whole(row.columns).owner !== from) return
    await this.#engine.service.write(table, pk, [{ verb: 'put', rk, columns, etag: row.etag }])
  }

  async #putAll(table: string, pk: string, rows: readonly NextRow[]): Promise<void> {
    const writes = rows.map((row) => ({ verb: 'put', ...row }) as const)
    for (const group of groupsOfWrites(writes)) await this.#engine.service.write(table, pk, group)
  }
}

function outboxPlace(tenant_id: string, outbox_id: string): string {
  return key('outbox', part(tenant_id), part(outbox_id))
}
