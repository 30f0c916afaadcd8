import { type JobAggregate, nameOfKey, type RecordKey } from '../../core/aggregate.ts'
import type { Engine } from './engine.ts'
import { laneKey } from './lane-rows.ts'
import type { Row } from './service.ts'
import type { Settling } from './settling.ts'
import { INDEX } from './table-names.ts'
import { WAITERS } from './waiters.ts'
import { type IndexedRow, jobOfRow, type WorkIndex } from './work-index.ts'

/** Jobs that a signal concerns, and what is to be done when all of them were told. */
export interface Delivery {
  readonly concerned: readonly RecordKey[]
  done(): Promise<void>
}

const MOST_SIGNALS = 100

/** Signals that are to be delivered: each is a row of a lane that says how far that is done. */
export class Signals {
  readonly #engine: Engine
  readonly #index: WorkIndex
  readonly #settling: Settling

  constructor(engine: Engine, parts: { readonly index: WorkIndex; readonly settling: Settling }) {
    this.#engine = engine
    this.#index = parts.index
    this.#settling = parts.settling
  }

  /** As many jobs as asked for, signal by signal. */
  async *deliveries(limit: number): AsyncGenerator<Delivery> {
    let left = limit
    const told = new Set<string>()
    for (const signal of await this.#index.signals(MOST_SIGNALS)) {
      let at = signal
      for (let isLast = false; !isLast; ) {
        if (left === 0) return
        const page = await this.#waiters(at, left)
        isLast = page.isLast
        const concerned = await this.#concerned(at, page.rows)
        const fresh = concerned.filter((key) => !told.has(nameOfKey(key)))
        left -= fresh.length
        for (const key of fresh) told.add(nameOfKey(key))
        const last = page.rows.at(-1)
        const done = async () => {
          if (isLast || last === undefined) await this.#index.drop(at)
          else at = await this.#advance(at, last.rk)
        }
        yield { concerned: fresh, done }
      }
    }
  }

  async #waiters(
    { row }: IndexedRow,
    limit: number,
  ): Promise<{ readonly rows: readonly Row[]; readonly isLast: boolean }> {
    const { table, pk, told } = row.columns as { table: string; pk: string; told?: string }
    const rkFrom = told === undefined ? WAITERS.from : `${told}!`
    const query = { pk, rkFrom, rkBefore: WAITERS.before, limit }
    const { rows, next } = await this.#engine.service.query(table, query)
    return { rows, isLast: next === null }
  }

  /** The jobs that wait for the topic; rows of those who do not go. */
  async #concerned({ row: signal }: IndexedRow, rows: readonly Row[]): Promise<readonly RecordKey[]> {
    const { topic } = signal.columns as { topic: string }
    const { table, pk } = signal.columns as { table: string; pk: string }
    const found = await Promise.all(
      rows.map(async (row) => {
        if (await this.#waits(row, topic)) return [jobOfRow(row)]
        await this.#engine.service.write(table, pk, [{ verb: 'delete', rk: row.rk, etag: row.etag }])
        return []
      }),
    )
    return found.flat()
  }

  /** Who is just beginning to wait must not miss it: it is settled first whether they do. */
  async #waits(row: Row, topic: string): Promise<boolean> {
    if (await this.#isWaiting(row, topic)) return true
    const { change, by } = row.columns as { change: string; by: string }
    const outcome = await this.#settling.outcomeOf(change, JSON.parse(by))
    return outcome === 'decided' && this.#isWaiting(row, topic)
  }

  async #isWaiting(row: Row, topic: string): Promise<boolean> {
    const { aggregate } = await this.#settling.settled(jobOfRow(row))
    return aggregate !== null && (aggregate as JobAggregate).job.waits_for.includes(topic)
  }

  async #advance({ lane, row }: IndexedRow, told: string): Promise<IndexedRow> {
    const columns = { ...row.columns, told }
    const write = { verb: 'put', rk: row.rk, columns, etag: row.etag } as const
    const answer = await this.#engine.service.write(INDEX, laneKey(lane), [write])
    return { lane, row: { ...row, columns, etag: answer.ok ? (answer.etags[0] as string) : row.etag } }
  }
}
