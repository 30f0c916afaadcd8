import { createHash } from 'node:crypto'
import { type AuditRecord, type Ledger, START } from 'waybill'

export interface FollowerOptions {
  readonly after?: string
  /** Breaks off after so many records, and takes it up again from its last cursor. */
  readonly breaksAfter?: number
  /** Throws what is not to be expected; otherwise the follower takes it up again. */
  readonly onError?: (error: unknown) => void
  /** Times that it takes it up again. */
  readonly mostBegins?: number
}

/** Follows a ledger, and keeps what it saw. */
export class Follower {
  readonly seen = new Seen()
  readonly #ledger: Ledger
  readonly #options: FollowerOptions
  readonly #stop = new AbortController()
  readonly #ended: Promise<void>
  #heard = Promise.withResolvers<void>()
  #cursor: string
  #begins = 0

  constructor(ledger: Ledger, options: FollowerOptions = {}) {
    this.#ledger = ledger
    this.#options = options
    this.#cursor = options.after ?? START
    this.#ended = this.#follow()
    // Whoever waits for it is told.
    this.#ended.catch(() => this.#heard.resolve())
  }

  /** Resolves when it has come so far. */
  async reached(seq: number): Promise<void> {
    while ((this.seen.seqs.at(-1) ?? 0) < seq) {
      await Promise.race([this.#heard.promise, this.#ended])
    }
  }

  async stop(): Promise<void> {
    this.#stop.abort()
    await this.#ended
  }

  async #follow(): Promise<void> {
    const { breaksAfter = Number.POSITIVE_INFINITY, mostBegins = 1_000_000, onError } = this.#options
    const { signal } = this.#stop
    while (!signal.aborted && this.#begins++ < mostBegins) {
      let count = 0
      try {
        for await (const record of this.#ledger.events({ after: this.#cursor, signal })) {
          this.seen.add(record)
          this.#cursor = record.cursor
          this.#heard.resolve()
          this.#heard = Promise.withResolvers()
          if (++count >= breaksAfter) break
        }
      } catch (error) {
        if (onError === undefined) throw error
        onError(error)
      }
    }
  }
}

/** Records in the order in which they came, in a form that can be compared without keeping all of them. */
export class Seen {
  readonly seqs: number[] = []
  readonly #hash = createHash('sha1')

  add({ seq, tenant_id, kind, id, old_state, new_state }: AuditRecord): void {
    this.seqs.push(seq)
    this.#hash.update(`${seq} ${tenant_id} ${kind} ${id} ${old_state} ${new_state}\n`)
  }

  get digest(): string {
    return this.#hash.copy().digest('hex')
  }
}

/** The whole history, as it is read afterwards. */
export async function wholeHistory(ledger: Ledger, from = 0): Promise<Seen> {
  const seen = new Seen()
  for await (const record of ledger.audit.records()) if (record.seq > from) seen.add(record)
  return seen
}
