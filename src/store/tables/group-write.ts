import { nameOfKey, type RecordKey } from '../../core/aggregate.ts'
import type { Decision, Given } from '../../core/decision.ts'
import { Followers } from '../followers.ts'
import type { Outcome, Swept } from '../store.ts'
import { Claims, type DecideOn, type ReadySweep } from './claims.ts'
import { type Answer, decideAll } from './deciding.ts'
import { Missing } from './missing.ts'
import type { Tables } from './tables.ts'
import { Workspace } from './workspace.ts'
import { untilWritten, type Writing, writeOut } from './writing.ts'

/** Groups that are written at once: while the database is busy with one, the next is decided. */
const LANES = 2

/** Most that one group holds: everybody in it waits for all of it. */
const MOST_IN_GROUP = 500

/** Fewer than these are quicker together. */
const LEAST_TO_SPLIT = 32

/**
 * Whoever writes alone, one after the other, lets everything else have a turn about so often. Not by time alone: the ledger's stands
 * still for as long as a clock was set back.
 */
const MOST_MS_WITHOUT_TURN = 4
const MOST_WRITES_WITHOUT_TURN = 32

const AT_ONCE = Promise.resolve()

interface Call {
  readonly keys: readonly RecordKey[]
  readonly names: readonly string[]
  readonly decide: (given: Given) => Decision<unknown>
  readonly resolve: (outcome: Outcome<never>) => void
  readonly reject: (error: unknown) => void
}

/**
 * One write for everybody who is waiting. What concerns something that is just being written waits until it is known what is
 * written of it: it would only find out that somebody was faster.
 */
export class GroupWrite {
  readonly #writing: Writing
  readonly #claims: Claims
  readonly #underWay = new Set<string>()
  #waiting: Call[] = []
  #lanes = 0
  #isScheduled = false
  /** The last group was of one, and nobody came while it was written. */
  #isLone = false
  /** When everything else had its turn. */
  #turnAt = Number.NEGATIVE_INFINITY
  #writesSince = 0
  #idle: PromiseWithResolvers<void> | null = null

  constructor(writing: Writing, takers: Followers = new Followers()) {
    this.#writing = writing
    this.#claims = new Claims(writing, takers)
  }

  add<A>(keys: readonly RecordKey[], decide: (given: Given) => Decision<A>): Promise<Outcome<A>> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({
        keys,
        // Nobody else has heard of what has a new id.
        names: keys.filter(({ isFresh }) => isFresh !== true).map(nameOfKey),
        decide,
        resolve: resolve as (outcome: Outcome<never>) => void,
        reject,
      })
      this.#schedule()
    })
  }

  /** There is, or is about to be, work in these queues that can be taken without looking for it. */
  hasWork(queues: readonly string[]): boolean {
    return this.#claims.isOpen || this.#writing.shelf.hasAny(queues)
  }

  /** Takes such work; null when it has to be looked for. */
  claim(selector: ReadySweep, decide: DecideOn): Promise<readonly Swept<never>[] | null> {
    const claiming = this.#claims.add(selector, decide)
    this.#schedule()
    return claiming
  }

  /** Something is being written. */
  get isBusy(): boolean {
    return this.#lanes > 0
  }

  get #isIdle(): boolean {
    return this.#waiting.length === 0 && !this.#claims.isAny
  }

  /** Resolves when nobody waits any more. */
  async idle(): Promise<void> {
    if (this.#lanes === 0 && this.#isIdle) return
    this.#idle ??= Promise.withResolvers()
    await this.#idle.promise
  }

  /** After everything that is waiting to run has run: whoever was just answered may have more to ask. */
  #schedule(): void {
    if (this.#isScheduled || this.#lanes >= LANES || this.#isIdle) return
    this.#isScheduled = true
    void (this.#goesOn() ? AT_ONCE : this.#turn()).then(this.#beginScheduled)
  }

  /** A turn is a good part of what somebody waits for who is alone. */
  #goesOn(): boolean {
    return (
      this.#isLone &&
      this.#writing.time() - this.#turnAt < MOST_MS_WITHOUT_TURN &&
      ++this.#writesSince < MOST_WRITES_WITHOUT_TURN
    )
  }

  async #turn(): Promise<void> {
    const { time, timers } = this.#writing
    await timers.turn()
    this.#turnAt = time()
    this.#writesSince = 0
  }

  readonly #beginScheduled = (): void => {
    this.#isScheduled = false
    this.#begin()
  }

  #begin(): void {
    if (this.#lanes >= LANES) return
    const group = this.#nextGroup()
    if (group.length === 0 && !this.#claims.isAny) return
    this.#lanes++
    void this.#run(group)
    this.#schedule()
  }

  #end(): void {
    this.#lanes--
    if (this.#lanes === 0 && this.#isIdle) {
      this.#idle?.resolve()
      this.#idle = null
    }
    this.#schedule()
  }

  /** Nobody else decides on what these are about until somebody says so. */
  #hold(group: readonly Call[]): () => void {
    const names = group.flatMap((call) => call.names)
    for (const name of names) this.#underWay.add(name)
    return () => {
      // Somebody else may have the next word on it by now.
      for (const name of names.splice(0)) this.#underWay.delete(name)
    }
  }

  #nextGroup(): readonly Call[] {
    const group: Call[] = []
    const held = new Set<string>()
    const left: Call[] = []
    const most = this.#groupSize()
    for (const call of this.#waiting) {
      const isHeld = call.names.some((name) => this.#underWay.has(name) || held.has(name))
      if (!isHeld && group.length < most) {
        group.push(call)
        continue
      }
      for (const name of call.names) held.add(name)
      left.push(call)
    }
    this.#waiting = left
    return group
  }

  /**
   * When nothing is being written, only half of what waits goes first: the other half is decided while the database is busy
   * with it, and as whoever is answered comes back, it stays like that.
   */
  #groupSize(): number {
    const { length } = this.#waiting
    const isWorthSplitting = this.#lanes === 0 && length >= LEAST_TO_SPLIT
    return isWorthSplitting ? Math.min(MOST_IN_GROUP, Math.ceil(length / LANES)) : MOST_IN_GROUP
  }

  async #run(group: readonly Call[]): Promise<void> {
    const letGo = this.#hold(group)
    try {
      const answers = await this.#write(group, letGo)
      // Before whoever is answered comes back.
      this.#isLone = group.length === 1 && this.#lanes === 1 && this.#isIdle
      for (const [index, call] of group.entries()) {
        const answer = answers[index] as Answer<never>
        if ('error' in answer) call.reject(answer.error)
        else call.resolve(answer.outcome)
      }
    } catch (error) {
      for (const { reject } of group) reject(error)
    } finally {
      letGo()
      this.#end()
    }
  }

  async #write(group: readonly Call[], letGo: () => void): Promise<readonly Answer[]> {
    const { tables, memory, shelf, ids, time } = this.#writing
    return untilWritten(this.#writing, async (conflicts) => {
      const remembered = conflicts === 0 ? memory : null
      const known = tables.since?.() ?? null
      const since = known instanceof Promise ? await known : known
      const space = new Workspace({ now: time(), ids, remembered, since, bears: true })
      let taken: Awaited<ReturnType<Claims['takeInto']>> = []
      try {
        const wanted = wantedOf(space, group)
        if (wanted !== null) space.know(await tables.load(wanted), wanted)
        const decided = decideAll(space, group, (missing) => tables.load(missing))
        const answers = decided instanceof Promise ? await decided : decided
        if (conflicts === 0 && this.#claims.isWanted)
          taken = await this.#claims.takeInto(space, (name) => this.#underWay.has(name))
        const write: Tables['write'] = (...args) => tables.write(...args)
        await writeOut(this.#writing, space, write, undefined, letGo)
        this.#claims.written(taken)
        return answers
      } catch (error) {
        this.#claims.failed(taken)
        memory.forget(space)
        shelf.forget()
        throw error
      }
    })
  }
}

/** What callers said that they are about, all at once, so that no decision has to be made twice for it; null when all of it is there. */
function wantedOf(space: Workspace, group: readonly Call[]): Missing | null {
  let wanted: Missing | null = null
  for (const { keys } of group) {
    for (const key of keys) {
      if (space.isFresh(key) || space.cellOf(key) !== undefined) continue
      wanted ??= new Missing()
      wanted.addKeys([key])
    }
  }
  return wanted
}
