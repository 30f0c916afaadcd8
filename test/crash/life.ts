import assert from 'node:assert/strict'
import { decideBatch } from '../../src/core/batch.ts'
import { type Answer, type Command, decide, keyOf } from '../../src/core/command.ts'
import { decideJob } from '../../src/core/job/decide.ts'
import { pick } from '../../src/core/pick.ts'
import type { Refusal } from '../../src/core/refusal.ts'
import { openJournal } from '../../src/store/journal/journal.ts'
import type { JournalOptions } from '../../src/store/journal/journal-options.ts'
import type { JournalStore } from '../../src/store/journal/journal-store.ts'
import type { Outcome, Sweep } from '../../src/store/store.ts'
import { onJob } from '../../src/testing/conformance/commands.ts'
import { advance } from '../../src/testing/conformance/work.ts'
import type { CrashDisk } from '../../src/testing/crash-disk.ts'
import { type VirtualWorld, virtualWorld } from '../../src/testing/virtual-world.ts'
import type { Random } from '../../src/world/random.ts'
import { withShortFills } from './short-fills.ts'
import { slowDisk } from './slow-disk.ts'
import { Witness, type Written } from './witness.ts'

export const FOLDER = '/ledger'

export interface LifeOptions {
  readonly disk: CrashDisk
  readonly journal: JournalOptions
  /** What was in the ledger before. */
  readonly before?: readonly Written[]
  /** Lives on one disk have different numbers, so that none makes the ids of another. */
  readonly nth?: number
  readonly startMs?: number
  /** Decides how long the disk takes for each thing; at once when absent. */
  readonly slowness?: Random
}

/** What a script throws out of itself when the power is gone. */
export class Ended extends Error {}

/** More turns of the event loop than anything takes that does not wait for ever. */
const MOST_TURNS = 1000

/** One process with a ledger open, from opening it to its end, whichever that is. */
export class Life {
  readonly witness: Witness
  readonly world: VirtualWorld
  readonly #disk: CrashDisk
  readonly #journal: JournalOptions
  #store: JournalStore | null = null

  constructor({ disk, journal, before = [], nth = 1, startMs, slowness }: LifeOptions) {
    this.#disk = disk
    this.#journal = journal
    this.witness = new Witness(before)
    this.world = virtualWorld({
      disk: withShortFills(slowness === undefined ? disk : slowDisk(disk, slowness)),
      seed: nth,
      ...(startMs === undefined ? null : { startMs }),
    })
  }

  get store(): JournalStore {
    if (this.#store === null) throw new Ended('the ledger is not open')
    return this.#store
  }

  get disk(): CrashDisk {
    return this.#disk
  }

  /** Warnings and errors, without what was said only to those who debug. */
  get complaints(): VirtualWorld['logged'] {
    return this.world.logged.filter(({ level }) => level === 'warn' || level === 'error')
  }

  async open(): Promise<void> {
    this.#store = await this.#powered(() => openJournal(FOLDER, this.world, this.#journal))
  }

  async reopen(): Promise<void> {
    await this.close()
    await this.open()
  }

  async close(): Promise<void> {
    const { store } = this
    this.#store = null
    await this.#powered(() => store.close())
  }

  async maintain(): Promise<void> {
    await this.#powered(() => this.store.maintain())
  }

  act<C extends Command>(command: C): Promise<Outcome<Answer<C>>> {
    return this.#powered(() =>
      this.witness.transact(this.store, [keyOf(command)], (given) => decide(command, given)),
    )
  }

  /** The answer to a command that has to be accepted. */
  async do<C extends Command>(command: C): Promise<Answer<C>> {
    const outcome = await this.act(command)
    assert(outcome.ok, outcome.ok ? '' : `${command.type} was refused: ${outcome.refusal.message}`)
    return outcome.answer
  }

  async refusal(command: Command): Promise<Refusal> {
    const outcome = await this.act(command)
    assert(!outcome.ok, `${command.type} should have been refused`)
    return outcome.refusal
  }

  async batch(commands: readonly Command[]): Promise<void> {
    const outcome = await this.tryBatch(commands)
    assert(outcome.ok, outcome.ok ? '' : `the batch was refused: ${outcome.refusal.message}`)
  }

  tryBatch(commands: readonly Command[]): Promise<Outcome<unknown>> {
    return this.#powered(() =>
      this.witness.transact(this.store, commands.map(keyOf), (given) => decideBatch(commands, given)),
    )
  }

  /** All at once, so that several share one write. */
  async together(commands: readonly Command[]): Promise<void> {
    const acting = await Promise.allSettled(commands.map((command) => this.act(command)))
    for (const one of acting) if (one.status === 'rejected') throw one.reason
  }

  async sweep(what: 'due' | 'signalled', limit = 100): Promise<number> {
    const swept = await this.#powered(() => this.witness.sweep(this.store, { what, limit }, advance))
    return swept.length
  }

  /** Ready work, as workers and dispatchers take it. */
  async take(type: 'claimStep' | 'takeOutbox', queues: readonly string[], limit: number): Promise<void> {
    const choose: Extract<Sweep, { what: 'ready' }>['pick'] = (heads, view) =>
      pick(heads, { limit, running: new Map(), view }).chosen
    await this.#powered(() =>
      this.witness.sweep(
        this.store,
        { what: 'ready', queues, perGroup: limit, pick: choose },
        ({ tenant_id, id }, given) => decideJob(onJob(type, id, { tenant_id }), given),
      ),
    )
  }

  async pass(ms: number): Promise<void> {
    await this.world.advanceBy(ms)
    if (!this.#disk.hasPower) throw new Ended('the power is gone')
  }

  /** Plays a script up to its end, or up to the end of the power. */
  async play(script: (life: Life) => Promise<void>): Promise<void> {
    try {
      await script(this)
    } catch (error) {
      if (!(error instanceof Ended)) throw error
    }
    await this.quiet()
  }

  /** Waits until every caller has been answered. */
  async quiet(): Promise<void> {
    for (let turn = 0; this.witness.waiting > 0; turn++) {
      assert(turn < MOST_TURNS, 'every caller is answered, also when the disk fails')
      await new Promise((resolve) => setImmediate(resolve))
    }
  }

  async #powered<T>(act: () => Promise<T>): Promise<T> {
    try {
      return await act()
    } catch (error) {
      if (this.#disk.hasPower) throw error
      throw new Ended('the power is gone', { cause: error })
    }
  }
}
