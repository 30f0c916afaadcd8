import { must } from '../../src/core/must.ts'
import { LedgerClosed } from '../../src/errors/input-errors.ts'
import type { SentRequest } from '../../src/store/azure-tables/requests.ts'
import type {
  Row,
  RowPage,
  RowQuery,
  RowWrite,
  TableService,
  WriteAnswer,
} from '../../src/store/azure-tables/service.ts'
import { pause } from '../../src/world/pause.ts'
import type { Timers } from '../../src/world/timers.ts'
import type { FakeAccount } from './fake-account.ts'

export interface FakeRequest extends SentRequest {
  /** Which one of this service, from 1 on. */
  readonly n: number
  readonly pk?: string | undefined
  readonly writes?: readonly RowWrite[] | undefined
}

/**
 * Is told of a request, and may wait. Whatever it throws is what the caller gets. Where it answers `lost` the connection is cut,
 * and the service does what the real one does: it tries again, and is unsure from then on.
 */
type Hook = (request: FakeRequest) => unknown

export interface FakeOptions {
  readonly tablePrefix?: string
  readonly timers?: Timers
  /** How long a request is under way, and its answer. Needs timers. */
  readonly delayMs?: () => number
  /** Nothing has been done yet. */
  readonly before?: Hook
  /** It was done, or refused. */
  readonly after?: Hook
  /** How many rows are looked at for one page: fewer than fit make it a short one, or an empty one. */
  readonly scanned?: number
}

const MOST_TRIES = 20

/** The table service as it would answer if it were in this process. */
export class FakeTableService implements TableService {
  readonly #account: FakeAccount
  readonly #options: FakeOptions
  #requests = 0
  #isClosed = false

  constructor(account: FakeAccount, options: FakeOptions = {}) {
    this.#account = account
    this.#options = options
  }

  /** How many were sent so far. */
  get requests(): number {
    return this.#requests
  }

  get(table: string, pk: string, rk: string): Promise<Row | null> {
    return this.#ask({ table, verb: 'get', rows: 0, pk }, (name) => this.#account.get(name, pk, rk))
  }

  query(table: string, query: RowQuery): Promise<RowPage> {
    return this.#ask({ table, verb: 'query', rows: 0, pk: query.pk }, (name) =>
      this.#account.query(name, query, this.#options.scanned),
    )
  }

  write(table: string, pk: string, writes: readonly RowWrite[]): Promise<WriteAnswer> {
    return this.#ask({ table, verb: 'write', rows: writes.length, pk, writes }, (name, unsure) =>
      this.#account.write(name, pk, writes, unsure),
    )
  }

  async createTables(tables: readonly string[]): Promise<void> {
    for (const table of tables)
      await this.#ask({ table, verb: 'write', rows: 0 }, (name) => this.#account.createTable(name))
  }

  async close(): Promise<void> {
    this.#isClosed = true
  }

  async #ask<T>(request: Omit<FakeRequest, 'n'>, act: (name: string, unsure: boolean) => T): Promise<T> {
    const { tablePrefix = '', before, after } = this.#options
    for (let tries = 1; ; tries++) {
      if (this.#isClosed) throw new LedgerClosed()
      must(tries <= MOST_TRIES, 'the connection is not cut for ever')
      const sent = { ...request, n: ++this.#requests }
      await this.#leg()
      if ((await before?.(sent)) === 'lost') continue
      const answer = act(`${tablePrefix}${request.table}`, tries > 1)
      const isLost = (await after?.(sent)) === 'lost'
      await this.#leg()
      if (!isLost) return answer
    }
  }

  async #leg(): Promise<void> {
    const { timers, delayMs } = this.#options
    const ms = delayMs?.() ?? 0
    if (ms > 0 && timers !== undefined) await pause(timers, ms)
  }
}
