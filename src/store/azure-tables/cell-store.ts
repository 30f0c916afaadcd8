import type { RecordKey } from '../../core/aggregate.ts'
import type { RecordKind } from '../../core/machines/all.ts'
import { present } from '../../core/must.ts'
import { changedAt } from '../query.ts'
import { type AzureCell, type RowRef, refOf, WAITER } from './azure-cell.ts'
import { cellOfRows } from './cell-rows.ts'
import type { Engine } from './engine.ts'
import { columnOf } from './record-columns.ts'
import type { Row } from './service.ts'
import { STEPS } from './table-names.ts'

/** Reads aggregates as they are, whatever state of affairs that is. */
export class CellStore {
  readonly #engine: Engine

  constructor(engine: Engine) {
    this.#engine = engine
  }

  /** One request. */
  async read(key: RecordKey): Promise<AzureCell> {
    const cell = cellOfRows(key, await this.#rows(refOf(key)))
    const { aggregate } = cell
    if (aggregate !== null) this.#engine.time.saw(changedAt('kind' in aggregate ? aggregate : aggregate.job))
    return cell
  }

  /** The aggregate that a row decides over, whoever it is; null when there is no row. */
  async readAt({ table, pk, rk }: RowRef): Promise<AzureCell | null> {
    const row = await this.#engine.service.get(table, pk, rk)
    return row === null ? null : this.read(keyOfRow(table, row))
  }

  async #rows({ table, pk, rk }: RowRef): Promise<readonly Row[]> {
    const { service } = this.#engine
    if (table !== STEPS) {
      const row = await service.get(table, pk, rk)
      return row === null ? [] : [row]
    }
    // Those who wait for the job are in its partition, too, and may be many.
    const rows: Row[] = []
    for (let next: string | undefined; ; ) {
      const page = await service.query(table, { pk, rkBefore: WAITER, next })
      rows.push(...page.rows)
      if (page.next === null) return rows
      next = page.next
    }
  }
}

const ID_FIELD: { readonly [kind in RecordKind]?: string } = {
  document: 'doc_id',
  job: 'job_id',
  run: 'run_id',
  workstream: 'workstream_id',
  queue: 'queue',
  schedule: 'schedule_id',
  token: 'token_id',
}

/** Whose row it is. */
export function keyOfRow(table: string, { rk, columns }: Row): RecordKey {
  const kind = (table === STEPS ? 'job' : rk) as RecordKey['kind']
  const column = columnOf(kind, present(ID_FIELD[kind], 'a row that decides is of a kind that does'))
  const id = columns._id ?? columns[column as string]
  return { kind, tenant_id: columns.tenant_id as string, id: id as string }
}
