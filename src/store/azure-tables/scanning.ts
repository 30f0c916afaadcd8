// Records as they lie in their tables, read page by page. Filters go along with the question where the service can apply
// them; whoever asked applies all of them to what comes back.
import {
  ALONE_KINDS,
  type AloneKind,
  isOpenRow,
  type JobAggregate,
  type LedgerRecord,
} from '../../core/aggregate.ts'
import type { JobRecord, OutboxRecord } from '../../core/job/record.ts'
import type { RecordKind } from '../../core/machines/all.ts'
import { toIso } from '../../core/time.ts'
import type { FindQuery } from '../query.ts'
import { type AzureCell, JOB_ROW, WAITER } from './azure-cell.ts'
import { cellOfRows } from './cell-rows.ts'
import { type CellStore, keyOfRow } from './cell-store.ts'
import type { Engine } from './engine.ts'
import { key, part, rangeOf } from './keys.ts'
import { whole } from './long-columns.ts'
import { type Months, monthKey } from './months.ts'
import { columnOf, recordFrom } from './record-columns.ts'
import { type Condition, MOST_COMPARISONS, type Row, type RowQuery } from './service.ts'
import type { Settling } from './settling.ts'
import { JOBS, OUTBOX, STEPS, TABLE_OF } from './table-names.ts'

export interface ScanningParts {
  readonly engine: Engine
  readonly cells: CellStore
  readonly months: Months
  readonly settling: Settling
}

/** Values that are left for keys and times. */
const MOST_VALUES = MOST_COMPARISONS - 6

export class Scanning {
  readonly #parts: ScanningParts

  constructor(parts: ScanningParts) {
    this.#parts = parts
  }

  /** All of a tenant's, in no order that can be relied on. */
  async *records(kind: RecordKind, tenant_id: string, query: FindQuery): AsyncGenerator<LedgerRecord> {
    if (isAlone(kind)) yield* this.alone(kind, tenant_id, query)
    else if (kind === 'job')
      for (const month of await this.#parts.months.all()) yield* this.jobs(tenant_id, month, query)
    else if (kind === 'step') yield* this.#steps(tenant_id)
    else for (const month of await this.#parts.months.all()) yield* this.#outbox(tenant_id, month, query)
  }

  /** In the order of their keys, from one on. */
  async *alone(
    kind: AloneKind,
    tenant_id: string,
    query: FindQuery,
    fromId?: string,
  ): AsyncGenerator<LedgerRecord> {
    const { from, before: pkBefore } = rangeOf(part(tenant_id))
    const pkFrom = fromId === undefined ? from : key(part(tenant_id), part(fromId))
    const where = conditions(kind, query)
    for await (const row of this.rows(TABLE_OF[kind], {
      pkFrom,
      pkBefore,
      rkFrom: kind,
      rkBefore: `${kind}!`,
      where,
    })) {
      const { aggregate } = (await this.#aggregateOf(TABLE_OF[kind], [row])) ?? NOTHING
      if (aggregate !== null) yield aggregate as LedgerRecord
    }
  }

  /** In the order of their keys, from one on. */
  async *jobs(
    tenant_id: string,
    month: string,
    query: FindQuery,
    fromId?: string,
  ): AsyncGenerator<JobRecord> {
    const pk = monthKey(tenant_id, month)
    const rkFrom = fromId === undefined ? undefined : part(fromId)
    for await (const row of this.rows(JOBS, { pk, rkFrom, where: conditions('job', query) }))
      yield jobOfRow(row)
  }

  async *#steps(tenant_id: string): AsyncGenerator<LedgerRecord> {
    const { from: pkFrom, before: pkBefore } = rangeOf(part(tenant_id))
    let rows: Row[] = []
    for await (const row of this.rows(STEPS, { pkFrom, pkBefore, rkBefore: WAITER })) {
      if (rows.length > 0 && rows[0]?.pk !== row.pk) {
        yield* await this.#stepsOf(rows)
        rows = []
      }
      rows.push(row)
    }
    if (rows.length > 0) yield* await this.#stepsOf(rows)
  }

  async #stepsOf(rows: readonly Row[]): Promise<readonly LedgerRecord[]> {
    const { aggregate } = (await this.#aggregateOf(STEPS, rows)) ?? NOTHING
    return aggregate === null ? [] : (aggregate as JobAggregate).steps
  }

  /** The aggregate of these rows; one that is part of a change which is decided elsewhere when that is finished. */
  async #aggregateOf(table: string, rows: readonly Row[]): Promise<Pick<AzureCell, 'aggregate'> | null> {
    const head = table === STEPS ? rows.find(({ rk }) => rk === JOB_ROW) : rows[0]
    if (head === undefined || head.columns.tenant_id === undefined) return null
    const key = keyOfRow(table, head)
    return head.columns._lock === undefined ? cellOfRows(key, rows) : this.#parts.settling.settled(key)
  }

  async *#outbox(tenant_id: string, month: string, query: FindQuery): AsyncGenerator<LedgerRecord> {
    // What its job has may be another state than its row, and another time.
    const { state: _, ...where } = query.where ?? {}
    const pk = monthKey(tenant_id, month)
    for await (const row of this.rows(OUTBOX, {
      pk,
      where: conditions('outbox', { kind: 'outbox', where }),
    })) {
      const record = await this.outboxOfRow(row)
      if (record !== null) yield record
    }
  }

  /** While it is open, its job has it as it is. */
  async outboxOfRow(row: Row): Promise<OutboxRecord | null> {
    const record = recordFrom('outbox', whole(row.columns), row.etag)
    if (!isOpenRow(record)) return record
    const { tenant_id, job_id, outbox_id } = record
    const jobKey = { kind: 'job', tenant_id, id: job_id } as const
    const inJob = ({ aggregate }: AzureCell) =>
      aggregate === null
        ? undefined
        : (aggregate as JobAggregate).outbox.find((one) => one.outbox_id === outbox_id)
    const open = inJob(await this.#parts.cells.read(jobKey))
    if (open !== undefined) return open
    // It has just been closed, and its own row is about to say so.
    await this.#parts.settling.settled(jobKey)
    const again = await this.#parts.engine.service.get(OUTBOX, row.pk, row.rk)
    return again === null ? null : recordFrom('outbox', whole(again.columns), again.etag)
  }

  async *rows(table: string, query: RowQuery): AsyncGenerator<Row> {
    for (let next: string | undefined; ; ) {
      const page = await this.#parts.engine.service.query(table, { ...query, next })
      yield* page.rows
      if (page.next === null) return
      next = page.next
    }
  }
}

const NOTHING = { aggregate: null } as const

export function isAlone(kind: RecordKind): kind is AloneKind {
  return (ALONE_KINDS as readonly string[]).includes(kind)
}

export function jobOfRow(row: Row): JobRecord {
  const columns = whole(row.columns)
  return recordFrom('job', columns, columns._etag as string)
}

/** What the service can look at itself. */
function conditions(
  kind: RecordKind,
  { where = {}, changedFrom, changedBefore }: FindQuery,
): readonly Condition[] {
  const found: Condition[] = []
  let values = 0
  for (const [field, wanted] of Object.entries(where)) {
    const column = columnOf(kind, field)
    if (wanted === undefined || column === undefined) continue
    const some = typeof wanted === 'string' ? [wanted] : wanted
    if (some.length === 0 || values + some.length > MOST_VALUES) continue
    values += some.length
    found.push({ column, isOneOf: some })
  }
  if (changedFrom !== undefined) found.push({ column: '_at', is: 'ge', value: toIso(changedFrom) })
  if (changedBefore !== undefined) found.push({ column: '_at', is: 'lt', value: toIso(changedBefore) })
  return found
}
