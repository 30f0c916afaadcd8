// What happens, as it happens. One stream for the whole page: whatever it tells, questions about that kind of record are asked
// again, at once the first time and then at most three times a second, so that a change is on the screen within a second
// and a busy ledger does not keep the page busy.
import type { Query, QueryClient } from '@tanstack/react-query'
import type { AuditRecord } from '../../../src/core/audit.ts'
import type { Level } from '../../../src/core/audit-level.ts'
import type { RecordKind } from '../../../src/core/machines/all.ts'
import { withQuery } from './client.ts'
import { sessionQuery } from './session.ts'

/** An entry of the history, as the server tells it. */
export type HistoryRecord = AuditRecord & { readonly level: Level }

export type Connection = 'connecting' | 'live' | 'disconnected'

type OnRecord = (record: HistoryRecord) => void

/** Between two times of asking again. */
const PAUSE_MS = 300
/** Before a stream that the server refused is tried again. */
const REOPEN_MS = 2000
/** Before a question that could not be answered is asked again. */
const FAILED_REST_MS = 2000

export class Live {
  readonly #client: QueryClient
  readonly #listeners = new Set<() => void>()
  readonly #followers = new Set<OnRecord>()
  readonly #gapFollowers = new Set<() => void>()
  #connection: Connection = 'connecting'
  #source: EventSource | null = null
  #tenant = ''
  #last = ''
  #reopening: ReturnType<typeof setTimeout> | undefined
  #pausing: ReturnType<typeof setTimeout> | undefined
  #touched = new Set<RecordKind>()
  /** Questions that something has happened to, and that cannot be asked again yet. */
  #late = new Set<string>()

  constructor(client: QueryClient) {
    this.#client = client
  }

  get connection(): Connection {
    return this.#connection
  }

  /** Of another tenant from now on; the same one again changes nothing. */
  follow(tenant: string): void {
    if (tenant === this.#tenant && this.#source !== null) return
    this.stop()
    this.#tenant = tenant
    this.#last = ''
    this.#open()
  }

  stop(): void {
    this.#source?.close()
    this.#source = null
    clearTimeout(this.#reopening)
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Each record as it comes. Answers how to stop it. */
  onRecord(follower: OnRecord): () => void {
    this.#followers.add(follower)
    return () => this.#followers.delete(follower)
  }

  /** Part of what happened since the last record is gone, past its time. Answers how to stop it. */
  onGap(follower: () => void): () => void {
    this.#gapFollowers.add(follower)
    return () => this.#gapFollowers.delete(follower)
  }

  #open(): void {
    const source = new EventSource(
      withQuery('/v1/events', { tenant_id: this.#tenant, after: this.#last === '' ? undefined : this.#last }),
    )
    this.#source = source
    source.onopen = () => this.#opened()
    source.onmessage = ({ data, lastEventId }) => {
      this.#last = lastEventId
      this.#heard(JSON.parse(data) as HistoryRecord)
    }
    source.addEventListener('gap', () => {
      for (const follower of this.#gapFollowers) follower()
      void this.#client.invalidateQueries()
    })
    source.onerror = () => {
      this.#set('disconnected')
      // The browser comes back by itself after a lost connection, but not after an answer such as 503.
      if (source.readyState !== EventSource.CLOSED) return
      // What the answer was, nobody is told. It may be that one is no longer known here.
      void this.#client.invalidateQueries({ queryKey: sessionQuery.queryKey })
      clearTimeout(this.#reopening)
      this.#reopening = setTimeout(() => this.#open(), REOPEN_MS)
    }
  }

  #opened(): void {
    const wasAway = this.#connection === 'disconnected'
    this.#set('live')
    // Answers that were lost meanwhile are nobody's news.
    if (wasAway) void this.#client.invalidateQueries()
  }

  #heard(record: HistoryRecord): void {
    for (const follower of this.#followers) follower(record)
    this.#touched.add(record.kind)
    if (this.#pausing !== undefined) return
    this.#askAgain()
  }

  #askAgain(): void {
    const [touched, late] = [this.#touched, this.#late]
    this.#touched = new Set()
    this.#late = new Set()
    this.#pausing = setTimeout(() => {
      this.#pausing = undefined
      if (this.#touched.size > 0 || this.#late.size > 0) this.#askAgain()
    }, PAUSE_MS)
    void this.#client.invalidateQueries({
      predicate: (query) => {
        const { queryHash, meta } = query
        if (!late.has(queryHash) && meta?.topics?.some((kind) => touched.has(kind)) !== true) return false
        if (mayBeAsked(query)) return true
        this.#late.add(queryHash)
        return false
      },
    })
  }

  #set(connection: Connection): void {
    if (connection === this.#connection) return
    this.#connection = connection
    for (const listener of this.#listeners) listener()
  }
}

/** Not while it is being answered: an answer that takes longer than news take to come would never be seen. */
function mayBeAsked({ state: { fetchStatus, dataUpdatedAt, error, errorUpdatedAt }, meta }: Query): boolean {
  const restMs = error === null ? (meta?.restMs ?? 0) : FAILED_REST_MS
  return fetchStatus === 'idle' && Date.now() - Math.max(dataUpdatedAt, errorUpdatedAt) >= restMs
}
