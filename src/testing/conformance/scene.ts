import assert from 'node:assert/strict'
import { decideBatch } from '../../core/batch.ts'
import { type Answer, type Command, decide, keyOf } from '../../core/command.ts'
import type { Refusal } from '../../core/refusal.ts'
import type { Outcome, Store, WatchOptions } from '../../store/store.ts'
import { systemTimers } from '../../world/timers.ts'
import { type VirtualWorld, virtualWorld } from '../virtual-world.ts'
import { Follower } from './follower.ts'
import { within } from './patience.ts'
import { plain } from './reading.ts'
import { DEFAULT_PATIENCE_MS, type StoreSubject } from './subject.ts'

/** What one test has to play with: a fresh store in a world of its own, and the usual things to do with it. */
export class Scene {
  readonly subject: StoreSubject
  readonly world: VirtualWorld
  readonly patienceMs: number
  readonly #opened: Store[] = []
  readonly #followers: Follower[] = []

  constructor(subject: StoreSubject) {
    this.subject = subject
    this.world = { ...virtualWorld(), timers: systemTimers }
    this.patienceMs = subject.patienceMs ?? DEFAULT_PATIENCE_MS
  }

  /** The store under test: the one that was opened last. */
  get store(): Store {
    const store = this.#opened.at(-1)
    assert(store !== undefined, 'the scene was opened')
    return store
  }

  async open(): Promise<void> {
    this.#opened.push(await this.within(this.subject.open(this.world), 'open'))
  }

  /** Closes the store and opens again what it kept. */
  async reopen(): Promise<Store> {
    await this.within(this.store.close(), 'close')
    return this.#openAgain()
  }

  /** Writers that know nothing of each other: two of them, where the engine allows several. */
  async writers(): Promise<readonly Store[]> {
    const first = this.store
    const alone = !first.capabilities.multiProcess || this.subject.reopen === undefined
    return alone ? [first] : [first, await this.#openAgain()]
  }

  async close(): Promise<void> {
    for (const follower of this.#followers) await follower.stop()
    for (const store of this.#opened) await this.within(store.close(), 'close')
    await this.subject.cleanUp?.()
  }

  /** The outcome as it is now: an engine may hand out the very object that it keeps. */
  async act<C extends Command>(command: C, store = this.store): Promise<Outcome<Answer<C>>> {
    return plain(await store.transact([keyOf(command)], (given) => decide(command, given)))
  }

  /** The answer to a command that has to be accepted. */
  async do<C extends Command>(command: C, store = this.store): Promise<Answer<C>> {
    return answerOf(await this.act(command, store), command.type)
  }

  /** The refusal of a command that must not be accepted. */
  async refusalOf(command: Command): Promise<Refusal> {
    const outcome = await this.act(command)
    assert(!outcome.ok, `${command.type} should have been refused`)
    return outcome.refusal
  }

  batch(commands: readonly Command[]): Promise<Outcome<readonly unknown[]>> {
    return this.store.transact(commands.map(keyOf), (given) => decideBatch(commands, given))
  }

  async doAll(commands: readonly Command[]): Promise<readonly unknown[]> {
    return answerOf(await this.batch(commands), 'the batch')
  }

  follow(options: WatchOptions, store = this.store): Follower {
    const follower = new Follower(store, options, this.patienceMs / 2)
    this.#followers.push(follower)
    return follower
  }

  /** Work that goes on beside the test. It is awaited in the end, unless the test fails before. */
  meanwhile<T>(work: Promise<T>): Promise<T> {
    work.catch(() => {})
    return work
  }

  within<T>(promise: Promise<T>, what: string): Promise<T> {
    return within(this.patienceMs, promise, what)
  }

  /** Lets so much of the store's time pass. */
  pass(ms: number): Promise<void> {
    return this.world.advanceBy(ms)
  }

  async #openAgain(): Promise<Store> {
    assert(this.subject.reopen !== undefined, 'the subject can be opened again')
    this.#opened.push(await this.within(this.subject.reopen(this.world), 'reopen'))
    return this.store
  }
}

function answerOf<A>(outcome: Outcome<A>, what: string): A {
  assert(outcome.ok, outcome.ok ? '' : `${what} was refused: ${outcome.refusal.message}`)
  return outcome.answer
}
