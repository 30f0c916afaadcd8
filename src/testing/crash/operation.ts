/** Something done to a disk, numbered from 1 in the order in which it was asked for. */
export interface DiskOperation {
  readonly n: number
  readonly op:
    | 'create'
    | 'write'
    | 'writeThrough'
    | 'truncate'
    | 'sync'
    | 'makeFolder'
    | 'rename'
    | 'remove'
    | 'syncFolder'
  readonly path: string
  /** Where a rename goes. */
  readonly to?: string
  /** How many are written, or kept by `truncate`. */
  readonly bytes?: number
}

/** What every call on a disk rejects with when its power is gone. */
export class PowerLost extends Error {
  override readonly name = 'PowerLost'
  readonly code = 'POWER_LOST'

  constructor() {
    super('the power is gone; look at what is left with afterCrash() or afterKill()')
  }
}
