import type { DiskOperation } from '../../src/testing/crash/operation.ts'
import type { Dice } from './dice.ts'

const NEEDS_ROOM: readonly DiskOperation['op'][] = ['write', 'writeThrough', 'create', 'makeFolder']
const SYNCS: readonly DiskOperation['op'][] = ['writeThrough', 'sync', 'syncFolder']

/** What is wrong with the disk at the moment. */
export class Troubles {
  readonly #dice: Dice
  isFull = false
  /** The next sync fails, and after it none. */
  failsNextSync = false
  /** Whether a sync has failed that this process was told of. */
  hasFailed = false

  constructor(dice: Dice) {
    this.#dice = dice
  }

  /** For `CrashDisk`: what becomes of an operation. */
  readonly of = ({ op }: DiskOperation): string | null => {
    if (this.failsNextSync && SYNCS.includes(op)) {
      this.failsNextSync = false
      this.hasFailed = true
      return 'EIO'
    }
    return this.isFull && NEEDS_ROOM.includes(op) && this.#dice.chance(0.8) ? 'ENOSPC' : null
  }
}
