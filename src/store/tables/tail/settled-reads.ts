import type { ClaimKey, SlotKey } from '../../../core/decision.ts'
import type { About, SketchSelect } from '../log-parts.ts'
import type * as T from '../tables.ts'
import type { TailDriver } from './tail.ts'

/** Reads that find what is written where it is found: nothing may be in the tail before they begin. */
export class SettledReads {
  readonly #tables: TailDriver
  readonly #onLook: () => void

  /** @param onLook is called when somebody looks at more than what a worker, or whoever keeps time, needs to know */
  constructor(tables: TailDriver, onLook: () => void) {
    this.#tables = tables
    this.#onLook = onLook
  }

  heads(select: T.ReadySelect) {
    return this.settled(() => this.#tables.heads(select))
  }

  headsAfter(select: T.NextSelect) {
    const read = () => this.#tables.headsAfter(select)
    return select.isSettled ? this.settled(read) : this.#tables.tail.headsAfter(select)
  }

  holders(slots: readonly SlotKey[]) {
    return this.settled(() => this.#tables.holders(slots))
  }

  nextDue() {
    return this.settled(() => this.#tables.nextDue())
  }

  /** Nobody is signalled by what is in the tail. */
  pendingSignals() {
    return this.#tables.pendingSignals()
  }

  findJobs(query: T.Find) {
    return this.#shown(() => this.#tables.findJobs(query))
  }

  findSteps(query: T.Find) {
    return this.#shown(() => this.#tables.findSteps(query))
  }

  findOutbox(query: T.Find) {
    return this.#shown(() => this.#tables.findOutbox(query))
  }

  outboxRow(tenant_id: string, outbox_id: string) {
    return this.settled(() => this.#tables.outboxRow(tenant_id, outbox_id))
  }

  chunksAbout(about: About) {
    return this.#shown(() => this.#tables.chunksAbout(about))
  }

  sketches(select: SketchSelect) {
    return this.#shown(() => this.#tables.sketches(select))
  }

  claims(after: ClaimKey | null, limit: number) {
    return this.settled(() => this.#tables.claims(after, limit))
  }

  protected async settled<R>(read: () => Promise<R>): Promise<R> {
    await this.#tables.tail.settled()
    return read()
  }

  #shown<R>(read: () => Promise<R>): Promise<R> {
    this.#onLook()
    return this.settled(read)
  }
}
