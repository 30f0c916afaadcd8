import type { AloneKind } from '../../core/aggregate.ts'
import type { ClaimKey, SlotKey } from '../../core/decision.ts'
import type * as T from '../tables/tables.ts'
import { NOTHING_WANTED } from '../tables/tables.ts'
import type { Thread } from './thread.ts'

/** A ledger in one file of SQLite, which several processes of one machine may have open. */
export class SqliteTables implements T.Tables {
  readonly #thread: Thread

  constructor(thread: Thread) {
    this.#thread = thread
  }

  load(wanted: T.Wanted) {
    return this.#thread.call('load', wanted)
  }

  write(set: T.WriteSet) {
    return this.#thread.call('write', set)
  }

  async take(work: T.TakeWork, wanted = NOTHING_WANTED): Promise<T.TakenWork> {
    const thread = this.#thread
    const { session, jobs, delivered, also } = await thread.call('take', work, wanted)
    // There was nothing to take: whatever is asked for now, nothing is held for it.
    if (session === null) {
      return {
        jobs,
        delivered,
        requests: [],
        also,
        load: (wanted) => thread.call('load', wanted),
        write: (set) => thread.call('write', set),
        release: async () => {},
      }
    }
    return {
      jobs,
      delivered,
      requests: [],
      also,
      load: (wanted) => thread.call('loadTaken', session, wanted),
      write: (set) => thread.call('writeTaken', session, set),
      release: () => thread.call('release', session),
    }
  }

  heads(select: T.ReadySelect) {
    return this.#thread.call('heads', select)
  }

  holders(slots: readonly SlotKey[]) {
    return this.#thread.call('holders', slots)
  }

  nextDue() {
    return this.#thread.call('nextDue')
  }

  head() {
    return this.#thread.call('head')
  }

  counts() {
    return this.#thread.call('counts')
  }

  pendingSignals() {
    return this.#thread.call('pendingSignals')
  }

  findJobs(query: T.Find) {
    return this.#thread.call('findJobs', query)
  }

  findRecords(kind: AloneKind, query: T.Find) {
    return this.#thread.call('findRecords', kind, query)
  }

  findSteps(query: T.Find) {
    return this.#thread.call('findSteps', query)
  }

  findOutbox(query: T.Find) {
    return this.#thread.call('findOutbox', query)
  }

  outboxRow(tenant_id: string, outbox_id: string) {
    return this.#thread.call('outboxRow', tenant_id, outbox_id)
  }

  chunksAbout(about: T.About) {
    return this.#thread.call('chunksAbout', about)
  }

  chunks(select: T.ChunkSelect) {
    return this.#thread.call('chunks', select)
  }

  sketches(select: T.SketchSelect) {
    return this.#thread.call('sketches', select)
  }

  claims(after: ClaimKey | null, limit: number) {
    return this.#thread.call('claims', after, limit)
  }

  maintain(keepFrom: number | null) {
    return this.#thread.call('maintain', keepFrom)
  }

  onNews(listener: () => void): void {
    this.#thread.onNews = listener
  }

  close() {
    return this.#thread.close()
  }
}
