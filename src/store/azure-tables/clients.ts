import type { NamedKeyCredential, TableClient, TableServiceClientOptions } from '@azure/data-tables'
import { must } from '../../core/must.ts'
import type { Account } from './address.ts'
import type { AzureCredential } from './azure-tables-options.ts'
import { type Batch, batchBody } from './batch.ts'
import type { DataTables } from './load-data-tables.ts'
import type { ServiceClock } from './service-clock.ts'

type Policy = NonNullable<TableServiceClientOptions['additionalPolicies']>[number]['policy']
type Request = Parameters<Policy['sendRequest']>[0]
type Answer = Awaited<ReturnType<Policy['sendRequest']>>

/** Whatever came of the parts of a transaction, this is how it is answered. */
const ACCEPTED = 202

/** The SDK wants to be given something to make a request of; another one is sent. With such keys nobody would take it. */
const PLACEHOLDER = { partitionKey: '/', rowKey: '/' }

export interface ClientParts {
  readonly sdk: DataTables
  readonly account: Account
  readonly credential: AzureCredential | null
  readonly clock: ServiceClock
}

/** One client of the SDK for each table. They sign, send and read; nothing is tried again there. */
export class Clients {
  readonly #parts: ClientParts
  readonly #tables = new Map<string, TableClient>()
  /** Transactions under way, by the signal that would end them: nothing else of them comes through the SDK. */
  readonly #batches = new Map<unknown, { readonly batch: Batch; answer: Answer | null }>()

  constructor(parts: ClientParts) {
    this.#parts = parts
  }

  table(name: string): TableClient {
    const known = this.#tables.get(name)
    if (known !== undefined) return known
    const { sdk, account, credential } = this.#parts
    const { endpoint, signature } = account
    const client =
      credential === null
        ? new sdk.TableClient(`${endpoint}?${signature}`, name, this.#options())
        : new sdk.TableClient(endpoint, name, credential as NamedKeyCredential, this.#options())
    this.#tables.set(name, client)
    return client
  }

  /** The answer as it came: it says of every part what came of it. */
  async transact(client: TableClient, writes: Omit<Batch, 'url'>, abortSignal: AbortSignal): Promise<string> {
    const url = `${this.#parts.account.endpoint}/${client.tableName}`
    const sent = { batch: { ...writes, url }, answer: null as Answer | null }
    this.#batches.set(abortSignal, sent)
    try {
      await client.submitTransaction([['create', PLACEHOLDER]], { abortSignal })
    } catch (error) {
      // What the SDK makes of the answers to the parts is not needed.
      if (sent.answer?.status !== ACCEPTED) throw error
    } finally {
      this.#batches.delete(abortSignal)
    }
    must(sent.answer !== null, 'what the SDK sends passes by here')
    return sent.answer.bodyAsText ?? ''
  }

  #options(): TableServiceClientOptions {
    const policy = (name: string, sendRequest: Policy['sendRequest']): Policy => ({ name, sendRequest })
    return {
      allowInsecureConnection: this.#parts.account.endpoint.startsWith('http:'),
      retryOptions: { maxRetries: 0 },
      userAgentOptions: { userAgentPrefix: 'waybill' },
      additionalPolicies: [
        { position: 'perCall', policy: policy('waybillBatch', (...args) => this.#send(...args)) },
        { position: 'perRetry', policy: policy('waybillClock', (...args) => this.#hear(...args)) },
      ],
    }
  }

  async #send(request: Request, next: (request: Request) => Promise<Answer>): Promise<Answer> {
    const sent = this.#batches.get(request.abortSignal)
    if (sent === undefined) return next(request)
    const boundary = /boundary=(\S+)/.exec(request.headers.get('Content-Type') ?? '')?.[1] as string
    request.body = batchBody(sent.batch, boundary)
    sent.answer = await next(request)
    return sent.answer
  }

  async #hear(request: Request, next: (request: Request) => Promise<Answer>): Promise<Answer> {
    const answer = await next(request)
    this.#parts.clock.heard(answer.headers.get('date'))
    return answer
  }
}
