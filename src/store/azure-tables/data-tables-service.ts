import type { TableClient, TableEntityResultPage } from '@azure/data-tables'
import { must } from '../../core/must.ts'
import type { World } from '../../world/world.ts'
import { accountOf, checkedPrefix, shownAddress } from './address.ts'
import {
  type AzureTablesOptions,
  DEFAULT_MAX_REQUESTS,
  DEFAULT_PATIENCE_MS,
  DEFAULT_REQUEST_TIMEOUT_MS,
  DEFAULT_TABLE_PREFIX,
} from './azure-tables-options.ts'
import { batchEtags } from './batch.ts'
import { Clients } from './clients.ts'
import { type Entity, rowOf, typed } from './columns.ts'
import { refusalOf, translated } from './errors.ts'
import { filterOf } from './filter.ts'
import { credentialOf, loadDataTables } from './load-data-tables.ts'
import { type Failed, type Outcome, type RequestSettings, Requests, type SentRequest } from './requests.ts'
import {
  MOST_ROWS_AT_ONCE,
  MOST_ROWS_IN_PAGE,
  type Row,
  type RowPage,
  type RowQuery,
  type RowWrite,
  type TableService,
  type WriteAnswer,
} from './service.ts'
import { ServiceClock } from './service-clock.ts'

/** What the service calls a row's keys. */
const KEYS = ['PartitionKey', 'RowKey']

export interface ServiceOptions extends AzureTablesOptions {
  /** Is told of every request that is sent, also of those that are sent again. */
  readonly observe?: RequestSettings['observe']
}

/** Nothing is sent before it is asked for something. */
export async function connectTables(
  url: string,
  world: World,
  options: ServiceOptions = {},
): Promise<DataTablesService> {
  const account = accountOf(url)
  const address = shownAddress(url)
  const prefix = checkedPrefix(options.tablePrefix ?? account.tablePrefix ?? DEFAULT_TABLE_PREFIX)
  const sdk = await loadDataTables()
  const credential = await credentialOf(sdk, account, options.credential)
  const clock = new ServiceClock(world.clock)
  const requests = new Requests({
    world,
    address,
    requestTimeoutMs: options.requestTimeoutMs ?? DEFAULT_REQUEST_TIMEOUT_MS,
    patienceMs: options.patienceMs ?? DEFAULT_PATIENCE_MS,
    maxRequests: options.maxRequests ?? DEFAULT_MAX_REQUESTS,
    observe: options.observe,
  })
  const clients = new Clients({ sdk, account, credential, clock })
  return new DataTablesService({ address, prefix, clients, requests, clock })
}

interface ServiceParts {
  /** As it may be shown. */
  readonly address: string
  readonly prefix: string
  readonly clients: Clients
  readonly requests: Requests
  readonly clock: ServiceClock
}

/** The tables of an account, through the SDK. Whatever it can be asked has the plain names of tables. */
export class DataTablesService implements TableService {
  readonly #parts: ServiceParts

  constructor(parts: ServiceParts) {
    this.#parts = parts
  }

  /** As it may be shown. */
  get address(): string {
    return this.#parts.address
  }

  async get(table: string, pk: string, rk: string): Promise<Row | null> {
    if (isMisread(pk, rk)) return this.#find(table, pk, rk)
    const outcome = await this.#ask({ table, verb: 'get', rows: 0 }, (client, abortSignal) =>
      client.getEntity<Entity>(pk, rk, { abortSignal }),
    )
    if (outcome.ok) return rowOf(outcome.value)
    if (refusalOf(outcome.failure) === 'missing') return null
    throw this.#errorOf(table, outcome)
  }

  async query(table: string, query: RowQuery): Promise<RowPage> {
    const filter = filterOf(query)
    if (filter === null) return { rows: [], next: null }
    const { select, next, limit = MOST_ROWS_IN_PAGE } = query
    must(
      limit > 0 && limit <= MOST_ROWS_IN_PAGE,
      () => `a page has 1 to ${MOST_ROWS_IN_PAGE} rows, not ${limit}`,
    )
    const queryOptions = {
      ...(filter === undefined ? null : { filter }),
      ...(select === undefined ? null : { select: [...KEYS, ...select] }),
    }
    const from = { maxPageSize: limit, ...(next === undefined ? null : { continuationToken: next }) }
    const outcome = await this.#ask({ table, verb: 'query', rows: 0 }, async (client, abortSignal) => {
      const pages = client.listEntities<Entity>({ queryOptions, abortSignal }).byPage(from)
      return (await pages.next()).value as TableEntityResultPage<Entity>
    })
    if (!outcome.ok) throw this.#errorOf(table, outcome)
    return { rows: outcome.value.map(rowOf), next: outcome.value.continuationToken ?? null }
  }

  async write(table: string, pk: string, writes: readonly RowWrite[]): Promise<WriteAnswer> {
    const { length: rows } = writes
    must(
      rows > 0 && rows <= MOST_ROWS_AT_ONCE,
      () => `1 to ${MOST_ROWS_AT_ONCE} rows are written, not ${rows}`,
    )
    const [first] = writes as readonly [RowWrite]
    const isPlain = rows === 1 && (first.verb === 'insert' || !isMisread(pk, first.rk))
    const outcome = await this.#ask({ table, verb: 'write', rows }, async (client, signal) => {
      if (isPlain) return [await writeOne(client, pk, first, signal)]
      return batchEtags(await this.#parts.clients.transact(client, { pk, writes }, signal), rows)
    })
    if (outcome.ok) return { ok: true, etags: outcome.value }
    const why = refusalOf(outcome.failure)
    if (why === null) throw this.#errorOf(table, outcome)
    return { ok: false, at: outcome.failure.at, why, unsure: outcome.unsure }
  }

  async createTables(tables: readonly string[]): Promise<void> {
    await Promise.all(tables.map((table) => this.#createTable(table)))
  }

  /** How far the service's clock is ahead of ours, within half a second or so; null before its first answer. */
  serverAheadMs(): number | null {
    return this.#parts.clock.aheadMs
  }

  close(): Promise<void> {
    return this.#parts.requests.close()
  }

  async #find(table: string, pk: string, rk: string): Promise<Row | null> {
    // Nothing is between a key and the same with the lowest character that a key may have.
    const only = { pk, rkFrom: rk, rkBefore: `${rk} ` }
    for (let next: string | null | undefined; next !== null; ) {
      const page = await this.query(table, { ...only, next })
      const [row] = page.rows
      if (row !== undefined) return row
      next = page.next
    }
    return null
  }

  async #createTable(table: string): Promise<void> {
    // To make one that is there already is no mistake.
    const outcome = await this.#ask({ table, verb: 'write', rows: 0 }, (client, abortSignal) =>
      client.createTable({ abortSignal }),
    )
    if (!outcome.ok) throw this.#errorOf(table, outcome)
  }

  #ask<T>(
    request: SentRequest,
    send: (client: TableClient, signal: AbortSignal) => Promise<T>,
  ): Promise<Outcome<T>> {
    const { requests, clients } = this.#parts
    const client = clients.table(this.#nameOf(request.table))
    return requests.ask(request, (signal) => send(client, signal))
  }

  #errorOf(table: string, { failure, unsure }: Failed): Error {
    return translated(failure, { address: this.#parts.address, table: this.#nameOf(table), unsure })
  }

  #nameOf(table: string): string {
    return `${this.#parts.prefix}${table}`
  }
}

/**
 * Azure has decoded the keys in the path of a URL twice, and then found another row or none, or made one. In a query and in a
 * body they are decoded once.
 */
function isMisread(...keys: readonly string[]): boolean {
  return keys.some((key) => key.includes('%'))
}

/** The new etag; of a row that was deleted an empty text. */
async function writeOne(
  client: TableClient,
  pk: string,
  write: RowWrite,
  abortSignal: AbortSignal,
): Promise<string> {
  if (write.verb === 'delete') {
    await client.deleteEntity(pk, write.rk, { abortSignal, etag: write.etag ?? '*' })
    return ''
  }
  const entity = { ...typed(write.columns), partitionKey: pk, rowKey: write.rk }
  const { etag } = await (write.verb === 'insert'
    ? client.createEntity(entity, { abortSignal })
    : write.etag === undefined
      ? client.upsertEntity(entity, 'Replace', { abortSignal })
      : client.updateEntity(entity, 'Replace', { abortSignal, etag: write.etag }))
  return etag as string
}
