import type { RecordKey } from '../../core/aggregate.ts'
import type { Decision, Given } from '../../core/decision.ts'
import type { Swept } from '../store.ts'
import { Ahead } from './ahead.ts'
import type { ReadySweep } from './claims.ts'
import type { GroupWrite } from './group-write.ts'
import type { Writing } from './writing.ts'

const NONE: readonly never[] = Object.freeze([])

/** Takes work that this process knows of, or reads as it needs it, without keeping it from anybody before. */
export class KnownWork {
  readonly #writing: Writing
  readonly #group: GroupWrite
  readonly #ahead: Ahead

  constructor(writing: Writing, group: GroupWrite, atOnce: number) {
    this.#writing = writing
    this.#group = group
    this.#ahead = new Ahead(writing, atOnce)
  }

  /** Null when it has to be looked for, so that nobody else is shown it meanwhile. */
  async take<A>(
    selector: ReadySweep,
    decide: (key: RecordKey, given: Given) => Decision<A>,
  ): Promise<readonly Swept<A>[] | null> {
    const { shelf } = this.#writing
    const { queues } = selector
    for (;;) {
      if (!shelf.knows(queues)) {
        if (!this.#knowsAll) return null
        await this.#ahead.look(queues)
        if (!shelf.knows(queues)) return null
      }
      // Whoever chooses is to see as much of each group as was asked for.
      while (shelf.isShort(selector)) {
        if (!this.#knowsAll) return null
        await this.#ahead.more(selector)
      }
      const taken = this.#group.hasWork(queues) ? await this.#group.claim(selector, decide) : NONE
      if (taken === null) return null
      if (this.#knowsAll) this.#ahead.ahead(selector)
      if (taken.length > 0) return taken
      // Others of this process may have been faster, and there is more.
      if (shelf.knows(queues) && !shelf.isShort(selector)) return this.#isTimeToLook() ? null : NONE
    }
  }

  get #knowsAll(): boolean {
    return this.#writing.tables.knowsAll === true
  }

  /** Somebody may have let go of work without a word. */
  #isTimeToLook(): boolean {
    const { isBusy } = this.#group
    return this.#writing.shelf.isTimeToLook(this.#writing.time(), this.#knowsAll ? 'sure' : isBusy)
  }
}
