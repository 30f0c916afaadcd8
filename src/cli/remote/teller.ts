import { NotFound } from '../../errors/refusal-errors.ts'
import type { CallOptions } from '../../ledger/settings.ts'
import type { HttpClient, HttpRequest } from './http-client.ts'

/** In whose name a command asks, and for whom, unless it says otherwise itself. */
export interface Asker {
  /** Undefined for whoever the token is for. */
  readonly actor: string | undefined
  readonly tenant: string | undefined
}

type Message = Omit<HttpRequest, 'method' | 'path'>

/** Tells a server what a command wants. */
export class Teller {
  readonly client: HttpClient
  readonly #asker: Asker

  constructor(client: HttpClient, asker: Asker) {
    this.client = client
    this.#asker = asker
  }

  get actor(): string | undefined {
    return this.#asker.actor
  }

  get tenant(): string | undefined {
    return this.#asker.tenant
  }

  /** Who asks, for whom, why, and what the record is to be like. */
  by({ tenant_id, reason, if_match }: CallOptions = {}): Message {
    const { actor, tenant } = this.#asker
    return { query: { tenant_id: tenant_id ?? tenant, actor, reason }, ifMatch: if_match }
  }

  /** The same for what is everybody's. */
  byAll({ reason, if_match }: CallOptions = {}): Message {
    return { query: { actor: this.#asker.actor, reason }, ifMatch: if_match }
  }

  get<T>(path: string, query: HttpRequest['query'] = {}): Promise<T> {
    return this.client.call<T>({ method: 'GET', path, query })
  }

  /** Null when it is not there. */
  async find<T>(path: string, tenant_id: string | undefined): Promise<T | null> {
    try {
      return await this.get<T>(path, { tenant_id: tenant_id ?? this.#asker.tenant })
    } catch (error) {
      if (error instanceof NotFound) return null
      throw error
    }
  }

  post<T>(path: string, message: Message = {}): Promise<T> {
    return this.client.call<T>({ method: 'POST', path, ...message })
  }
}
