import { DiskFull, WriterFailed } from '../../../src/errors/journal-errors.ts'
import type { DiskOperation } from '../../../src/testing/crash/operation.ts'
import type { Random } from '../../../src/world/random.ts'
import { Ended } from '../life.ts'

/** What goes wrong in a life, beside its end. */
export type Trouble = 'nothing' | 'the disk fills up' | 'a sync fails'

const NEEDS_ROOM: readonly DiskOperation['op'][] = ['write', 'writeThrough', 'create', 'makeFolder']
const SYNCS: readonly DiskOperation['op'][] = ['writeThrough', 'sync', 'syncFolder']

/** The faults of one disk. They come and go as the dice say. */
export class Faults {
  readonly #trouble: Trouble
  readonly #random: Random
  #isOn = false
  #failed: DiskOperation | null = null
  #isPoisoned = false

  constructor(trouble: Trouble, random: Random) {
    this.#trouble = trouble
    this.#random = random
  }

  get isOn(): boolean {
    return this.#isOn
  }

  /** Whether something may be written for which there is no room, and be seen for a moment until it is taken back. */
  get mayTakeBack(): boolean {
    return this.#isOn && this.#trouble === 'the disk fills up'
  }

  /** The sync that failed; there is at most one. */
  get failed(): DiskOperation | null {
    return this.#failed
  }

  /** Turns them on or off. */
  turn(isOn: boolean): void {
    this.#isOn = isOn && this.#trouble !== 'nothing'
  }

  /** For `CrashDisk`: what becomes of an operation. */
  readonly of = (operation: DiskOperation): string | null => {
    if (!this.#isOn) return null
    if (this.#trouble === 'the disk fills up') {
      return NEEDS_ROOM.includes(operation.op) && this.#random.next() < 0.7 ? 'ENOSPC' : null
    }
    if (this.#failed !== null || !SYNCS.includes(operation.op) || this.#random.next() < 0.7) return null
    this.#failed = operation
    this.#isPoisoned = operation.op === 'writeThrough'
    return 'EIO'
  }

  /** Whether it was the delta that could not be written, by the writer that is there now. */
  get isPoisoned(): boolean {
    return this.#isPoisoned
  }

  /** Another writer begins. */
  forget(): void {
    this.#isPoisoned = false
  }

  /** Throws when an error is not one that this trouble explains. */
  mustExplain(error: unknown): void {
    if (error instanceof Ended) return
    const { code } = error as NodeJS.ErrnoException
    if (this.#trouble === 'the disk fills up' && (error instanceof DiskFull || code === 'ENOSPC')) return
    if (this.#failed !== null && (error instanceof WriterFailed || code === 'EIO')) return
    throw error
  }
}
