import { nameOfKey, type RecordKey } from '../../core/aggregate.ts'
import type { Decision, Given, SlotKey } from '../../core/decision.ts'
import type { ReadyHead } from '../../core/pick.ts'
import type { Followers } from '../followers.ts'
import type { Sweep, Swept } from '../store.ts'
import { type Cell, cellOfWaiting } from './cell.ts'
import { type Answer, decideAll } from './deciding.ts'
import { becomesReady, headOf } from './shelf.ts'
import { lookAt } from './shown-view.ts'
import type { Wanted } from './tables.ts'
import type { Workspace } from './workspace.ts'
import type { Writing } from './writing.ts'

export type ReadySweep = Extract<Sweep, { readonly what: 'ready' }>

export type DecideOn = (key: RecordKey, given: Given) => Decision<unknown>

/** One who wants to take work. */
interface Claim {
  readonly selector: ReadySweep
  readonly decide: DecideOn
  readonly resolve: (swept: readonly Swept<never>[] | null) => void
  readonly reject: (error: unknown) => void
}

/**
 * Jobs that one group takes before it leaves whoever else waits to the next: while the database writes what some of them took,
 * the others' is decided, and as each is answered in turn, it stays like that.
 */
const ENOUGH_TAKEN = 100

/** What one of them gets when it is written. */
interface Taken {
  readonly claim: Claim
  readonly keys: readonly RecordKey[]
  readonly answers: readonly Answer[]
}

/**
 * Those who take work that this process knows of. They take it in a write that goes out anyway, together with whatever else
 * is decided just then; also what that very write makes ready, before it is durable: both are then, or neither is.
 */
export class Claims {
  readonly #writing: Writing
  /** Whoever takes work is told of it when it is about to be ready. */
  readonly #takers: Followers
  #waiting: Claim[] = []
  #open = 0
  /** Settles when nobody is choosing any more. */
  #choosing: Promise<unknown> = Promise.resolve()

  constructor(writing: Writing, takers: Followers) {
    this.#writing = writing
    this.#takers = takers
  }

  get isAny(): boolean {
    return this.#waiting.length > 0
  }

  /** Somebody waits, or would come if they were told. */
  get isWanted(): boolean {
    return this.isAny || this.#takers.hasListeners
  }

  /** Something is about to be ready: whoever comes now can have it. */
  get isOpen(): boolean {
    return this.#open > 0
  }

  /** Null when nobody can say what there is, or somebody else was faster: then it has to be looked for. */
  add(selector: ReadySweep, decide: DecideOn): Promise<readonly Swept<never>[] | null> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ selector, decide, resolve, reject })
    })
  }

  /** Those who wait, and those who come when they are told, take what they want. */
  async takeInto(space: Workspace, isUnderWay: (name: string) => boolean): Promise<readonly Taken[]> {
    const soon = this.#offer(space)
    if (soon.length > 0) {
      this.#open++
      this.#takers.wake()
      await this.#writing.timers.turn()
      this.#open--
    }
    if (!this.isAny) return NONE
    // One after the other: two that read something on the way would choose the same.
    const choosing = this.#choosing.then(() => this.#choose(space, soon, isUnderWay))
    this.#choosing = choosing.catch(() => {})
    return choosing
  }

  async #choose(
    space: Workspace,
    soon: readonly ReadyHead[],
    isUnderWay: (name: string) => boolean,
  ): Promise<readonly Taken[]> {
    const taken: Taken[] = []
    let count = 0
    try {
      while (count < ENOUGH_TAKEN) {
        const claim = this.#waiting.shift()
        if (claim === undefined) break
        const one = await this.#take(space, claim, soon, isUnderWay)
        if (one === null) continue
        taken.push(one)
        count += one.keys.length
      }
    } catch (error) {
      this.failed(taken)
      throw error
    }
    return taken
  }

  written(taken: readonly Taken[]): void {
    for (const { claim, keys, answers } of taken) {
      const failed = answers.find((answer) => 'error' in answer)
      if (failed !== undefined) claim.reject((failed as { readonly error: unknown }).error)
      else claim.resolve(keys.map((key, index) => ({ key, outcome: outcomeOf(answers[index] as Answer) })))
    }
  }

  /** They look for it themselves. */
  failed(taken: readonly Taken[]): void {
    for (const { claim } of taken) claim.resolve(null)
  }

  /** What is going to be ready by what was decided here, as far as there is nobody before it. */
  #offer(space: Workspace): readonly ReadyHead[] {
    if (!this.#takers.hasListeners) return NONE
    const soon: ReadyHead[] = []
    const { shelf } = this.#writing
    for (const { tenant_id, job_id: id, ready } of space.bornAlone()) {
      if (shelf.knows([ready.queue])) soon.push({ key: { kind: 'job', tenant_id, id }, ready })
    }
    space.forEachCell((cell) => {
      if (!becomesReady(cell)) return
      const head = headOf(cell) as ReadyHead
      if (shelf.knows([head.ready.queue])) soon.push(head)
    })
    return soon
  }

  async #take(
    space: Workspace,
    claim: Claim,
    soon: readonly ReadyHead[],
    isUnderWay: (name: string) => boolean,
  ): Promise<Taken | null> {
    const { tables, shelf } = this.#writing
    const { selector, decide } = claim
    try {
      if (!shelf.knows(selector.queues)) {
        claim.resolve(null)
        return null
      }
      const heads = [
        ...shown(space, soon, selector),
        ...shelf.heads(selector).filter(({ key }) => !space.hasChanged(key) && !isUnderWay(nameOfKey(key))),
      ]
      const load = (wanted: Wanted) => tables.load(wanted)
      const holders = (slots: readonly SlotKey[]) => tables.holders(slots)
      const chosen = heads.length === 0 ? NONE : await lookAt({ space, heads, load, holders }, selector.pick)
      // What was read on the way took a while, and somebody else of this process may have come.
      const own = chosen.filter(({ key }) => isThere(space, key) || shelf.has(key))
      const keys = own.map(({ key }) => key)
      if (keys.length === 0) {
        claim.resolve(chosen.length === 0 ? NONE : null)
        return null
      }
      const waiting = keys.map((key) => shelf.take(key))
      for (const [nth, job] of waiting.entries())
        if (job !== null && !space.knows(keys[nth] as RecordKey)) space.assumeCell(cellOfWaiting(job))
      const askers = keys.map((key) => ({ decide: (given: Given) => decide(key, given) }))
      const answers = await decideAll(space, askers, load)
      shelf.giveBack(
        own
          .map(({ key, ready }, nth) => ({ key, ready, waiting: waiting[nth] ?? null }))
          .filter((head) => !isGone(space, head.key)),
      )
      return { claim, keys, answers }
    } catch (error) {
      claim.resolve(null)
      throw error
    }
  }
}

const NONE: readonly never[] = Object.freeze([])

/** Those that are still to be had, and are asked for. */
function shown(
  space: Workspace,
  soon: readonly ReadyHead[],
  { queues, tenants }: ReadySweep,
): readonly ReadyHead[] {
  return soon.filter(
    ({ key, ready }) =>
      queues.includes(ready.queue) &&
      (tenants === undefined || tenants.includes(key.tenant_id)) &&
      isThere(space, key),
  )
}

/** It is ready by what was decided here. */
function isThere(space: Workspace, key: RecordKey): boolean {
  return space.hasChanged(key) && headOf(space.cellOf(key) as Cell) !== null
}

/** Something was decided on it, and its write will tell; or it was read again, and is not ready. */
function isGone(space: Workspace, key: RecordKey): boolean {
  const cell = space.cellOf(key)
  return cell !== undefined && (cell.isChanged || headOf(cell) === null)
}

function outcomeOf(answer: Answer): Swept<never>['outcome'] {
  return (answer as { readonly outcome: Swept<never>['outcome'] }).outcome
}
