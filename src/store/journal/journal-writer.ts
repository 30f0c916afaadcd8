import { nameOfKey, type RecordKey } from '../../core/aggregate.ts'
import type { Decision, Given } from '../../core/decision.ts'
import { toEpochSeconds } from '../../core/time.ts'
import type { World } from '../../world/world.ts'
import { Followers } from '../followers.ts'
import type { Pending } from '../live/pending.ts'
import type { ProgressOptions } from '../progress.ts'
import type { Decided, MaintenanceReport, Outcome, ServerNotice, Sweep, Swept } from '../store.ts'
import { Decider } from './decider.ts'
import { DeltaLog } from './delta/delta-log.ts'
import { DeltaWriter } from './delta/delta-writer.ts'
import { DELTA_VERSION } from './delta/read-delta.ts'
import { GroupCommit, type WrittenBatch } from './group-commit.ts'
import type { JournalLock } from './journal-lock.ts'
import type { CheckedOptions } from './journal-options.ts'
import type { LoadedJournal } from './load-journal.ts'
import { Maintenance } from './maintenance.ts'
import type { OpenJournal } from './open-journal.ts'
import { cutTorn } from './torn.ts'

/** Writes to a ledger's folder: decisions, and the upkeep of the files. There is one at a time. */
export class JournalWriter {
  readonly #journal: OpenJournal
  readonly #lock: JournalLock
  readonly #group: GroupCommit
  readonly #decider: Decider
  readonly #maintenance: Maintenance
  readonly #wake: () => void
  /** Who takes work, and hears of it as soon as it was decided. */
  readonly takers = new Followers()
  /** What a sweep has taken on: nobody else is to, also while it is being read from the disk. */
  readonly #swept = new Set<string>()
  /** Those of them that somebody looked for meanwhile and was not shown: they have to look again. */
  readonly #hidden = new Set<string>()
  /** How often something became durable. */
  #batches = 0
  /** The last line says that the writer before us ended in good order. */
  #isClosed: boolean

  private constructor(parts: WriterParts, writer: DeltaWriter, loaded: LoadedJournal) {
    const { journal, world, options } = parts
    this.#journal = journal
    this.#lock = parts.lock
    this.#wake = parts.wake
    this.#isClosed = loaded.isClosed
    this.#group = new GroupCommit(writer, loaded.nextSeq, {
      folder: journal.place.folder,
      durable: (batch) => this.#durable(batch),
      failed: (commits) => this.#failed(commits),
    })
    this.#decider = new Decider(journal.image, this.#group, world, loaded.time, this.takers)
    this.#maintenance = new Maintenance(journal, this.#group, this.#decider, world, options, parts.oldestOpen)
  }

  /** Goes on where the files end; what a crash left half-written is put aside. */
  static async open(parts: WriterParts, loaded: LoadedJournal): Promise<JournalWriter> {
    const { journal } = parts
    const { disk, folder } = journal.place
    if (loaded.torn !== null) await cutTorn(journal.place, loaded.torn)
    let writer = loaded.end === null ? null : await DeltaWriter.goOn(disk, loaded.end)
    if (writer === null || loaded.end?.version !== DELTA_VERSION) {
      // What older versions began is left to them: a file is of one version from its first line to its last.
      await writer?.close()
      const now = Math.max(loaded.time, parts.world.clock.now())
      writer = await DeltaWriter.create(disk, folder, loaded.nextSeq, now)
      const { path } = writer
      // One that had nothing in it yet has just been replaced.
      if (journal.deltas.at(-1)?.path !== path) {
        journal.deltas = [...journal.deltas, new DeltaLog(disk, path, loaded.nextSeq)]
      }
    }
    const opened = new JournalWriter(parts, writer, loaded)
    opened.#maintenance.start()
    return opened
  }

  transact<A>(decide: (given: Given) => Decision<A>): Promise<Outcome<A>> {
    return this.#decider.transact(decide)
  }

  decideNow<A>(decide: (given: Given) => Decision<A>): Decided<A> | null {
    return this.#decider.now(decide)
  }

  announce(notice: ServerNotice | null): Promise<void> {
    return this.#lock.announce(notice)
  }

  /** Never goes back, whatever the clock does. */
  time(): number {
    return this.#decider.time()
  }

  async sweep<A>(
    selector: Sweep,
    decide: (key: RecordKey, given: Given) => Decision<A>,
  ): Promise<readonly Swept<A>[]> {
    const keys = this.#select(selector)
    // Ready work that is decided on at once is out of everybody's sight already.
    const held = selector.what === 'ready' ? [] : keys.map(nameOfKey)
    const before = this.#batches
    for (const name of held) this.#swept.add(name)
    try {
      const swept = await this.#decideAll(keys, decide)
      // A signal is delivered when what it led to is durable, and not before.
      if (selector.what === 'signalled') for (const key of keys) this.#journal.image.live.signals.told(key)
      return swept
    } finally {
      for (const name of held) this.#showAgain(name, before)
    }
  }

  /** Whoever was told of a change looked before this was over. Where there was none, they would find the same. */
  #showAgain(name: string, batchesBefore: number): void {
    this.#swept.delete(name)
    if (this.#hidden.delete(name) && this.#batches !== batchesBefore) this.#wake()
  }

  /** One wait for all that can be decided on at once, since all of it is written one after the other. */
  async #decideAll<A>(
    keys: readonly RecordKey[],
    decide: (key: RecordKey, given: Given) => Decision<A>,
  ): Promise<readonly Swept<A>[]> {
    const swept = new Array<Swept<A>>(keys.length)
    const waits: Promise<unknown>[] = []
    let durable: Promise<void> | null = null
    for (const [index, key] of keys.entries()) {
      try {
        const decided = this.#decider.now((given) => decide(key, given))
        if (decided === null) waits.push(this.#decideLater(swept, index, key, decide))
        else {
          swept[index] = { key, outcome: decided.outcome }
          durable = decided.durable ?? durable
        }
      } catch (error) {
        waits.push(Promise.reject(error))
      }
    }
    if (waits.length === 0) await durable
    else {
      for (const wait of await Promise.allSettled([durable, ...waits])) {
        if (wait.status === 'rejected') throw wait.reason
      }
    }
    return swept
  }

  /** It has to be read from the disk first: nobody else is to take it meanwhile. */
  async #decideLater<A>(
    swept: Swept<A>[],
    index: number,
    key: RecordKey,
    decide: (key: RecordKey, given: Given) => Decision<A>,
  ): Promise<void> {
    const name = nameOfKey(key)
    const before = this.#batches
    this.#swept.add(name)
    try {
      swept[index] = { key, outcome: await this.#decider.transact((given) => decide(key, given)) }
    } finally {
      this.#showAgain(name, before)
    }
  }

  maintain(options: ProgressOptions): Promise<MaintenanceReport> {
    return this.#maintenance.run(options)
  }

  /** Looks at the files while nobody makes or removes any. */
  whileFilesStay<T>(look: () => Promise<T>): Promise<T> {
    return this.#maintenance.inTurn(look)
  }

  /** Finishes what is pending, says so in the file, and lets go of the folder. */
  async close(): Promise<void> {
    this.takers.close()
    await this.#maintenance.stop()
    try {
      await this.#decider.idle()
      await this.#group.durable()?.catch(() => {})
      if (this.#group.failure === null) await this.#maintenance.finish()
      if (this.#group.failure === null) await this.#sayClosed()
      await this.#group.writer.close()
    } finally {
      await this.#journal.image.retire()
      await this.#lock.release()
    }
  }

  /** So that damage to the last batch can be told from a crash. A full disk does not keep anybody from closing. */
  async #sayClosed(): Promise<void> {
    if (!this.#isClosed) {
      const seq = this.#group.nextSeq
      const line = JSON.stringify({ seq, event: 'closed', timestamp: toEpochSeconds(this.#decider.time()) })
      this.#group.buffer.add(line)
      await this.#group.add(1, NOTHING, 0).catch(() => {})
    }
    await this.#group.between((writer) => writer.finish())
  }

  #durable(batch: WrittenBatch): void {
    this.#journal.deltas.at(-1)?.note(batch)
    for (const commit of batch.commits) commit.settle()
    this.#journal.auditRecords += batch.records
    this.#isClosed = false
    this.#batches++
    this.#maintenance.written()
    this.#wake()
  }

  #failed(commits: readonly Pending[]): void {
    for (const commit of commits.toReversed()) commit.takeBack()
    // What was hidden while it was pending is there again.
    this.#wake()
  }

  #select(selector: Sweep): readonly RecordKey[] {
    const { live } = this.#journal.image
    const isSwept = (key: RecordKey) => {
      if (this.#swept.size === 0) return false
      const name = nameOfKey(key)
      const isHidden = this.#swept.has(name)
      if (isHidden) this.#hidden.add(name)
      return isHidden
    }
    const isTaken = (key: RecordKey) => isSwept(key) || live.isPending(key)
    switch (selector.what) {
      case 'due':
        return live.work.due(this.#decider.time(), selector.limit, isTaken)
      case 'signalled':
        return live.signals.page(
          selector.limit,
          ({ tenant_id, topic }) => live.work.waiting(tenant_id, topic),
          isSwept,
        )
      case 'ready': {
        const heads = live.work.free(selector, isSwept)
        return selector.pick(heads, live.viewAt(this.#decider.time())).map((head) => head.key)
      }
    }
  }
}

const NOTHING: Pending = { settle: () => {}, takeBack: () => {} }

export interface WriterParts {
  readonly journal: OpenJournal
  readonly world: World
  readonly options: CheckedOptions
  readonly lock: JournalLock
  /** Tells those who follow the history that there is more. */
  readonly wake: () => void
  /** When the oldest job was submitted that is open. */
  readonly oldestOpen: () => Promise<number>
}
