import type { IdSource } from '../../core/decision.ts'
import { LedgerBusy } from '../../errors/sqlite-errors.ts'
import { heldPause } from '../../world/pause.ts'
import type { Random } from '../../world/random.ts'
import type { Timers } from '../../world/timers.ts'
import { inRows } from './in-rows.ts'
import type { Memory } from './memory.ts'
import type { ReadBirths } from './read-births.ts'
import type { Shelf } from './shelf.ts'
import { Conflict, type Tables, type WriteSet, type Written } from './tables.ts'
import type { Workspace } from './workspace.ts'
import { writeSetOf } from './write-set.ts'

/** Races that may be lost before callers are told; after a few there is a pause each time. */
const MOST_CONFLICTS = 200
const CONFLICTS_AT_ONCE = 2
const LONGEST_PAUSE_MS = 20

/** What everything that writes to tables has. */
export interface Writing {
  readonly tables: Tables
  readonly memory: Memory
  readonly shelf: Shelf
  /** What rows that are read have in common. */
  readonly births: ReadBirths
  readonly ids: IdSource
  readonly timers: Timers
  readonly random: Random
  readonly time: () => number
  /** Whoever takes work is told of it. Answers whether somebody may take what it made ready. */
  readonly onSeen: (set: WriteSet) => boolean
  /** It is durable. `isSeen`: those who take work know already. */
  readonly onWritten: (written: Written, set: WriteSet, isSeen: boolean) => void
  /** It may be written all the same: nobody could say. */
  readonly onFailed: () => void
}

/** Reads, decides and writes again for as long as somebody else is faster. */
export async function untilWritten<T>(
  { timers, random }: Writing,
  attempt: (conflicts: number) => Promise<T>,
): Promise<T> {
  for (let conflicts = 0; conflicts < MOST_CONFLICTS; conflicts++) {
    try {
      return await attempt(conflicts)
    } catch (error) {
      if (!(error instanceof Conflict)) throw error
      if (conflicts >= CONFLICTS_AT_ONCE) await heldPause(timers, 1 + random.next() * LONGEST_PAUSE_MS)
    }
  }
  throw new LedgerBusy(
    'The ledger',
    `${MOST_CONFLICTS} times in a row what was read had changed before it was written`,
  )
}

/**
 * Writes what was decided in a workspace, and remembers it.
 * @param onKnown from then on decisions rest on it, and before those who take work are told of it
 */
export async function writeOut(
  { memory, shelf, onSeen, onWritten, onFailed }: Writing,
  space: Workspace,
  write: Tables['write'],
  also?: Parameters<typeof writeSetOf>[1],
  onKnown?: () => void,
): Promise<void> {
  const written = writeSetOf(space, also)
  const set = written === null || space.since !== null ? written : inRows(written)
  space.freeze()
  if (set === null) return
  let isSeen = false
  try {
    const remember = () => {
      memory.wrote(space)
      shelf.wrote(space)
      onKnown?.()
    }
    const seen = () => {
      isSeen = true
      remember()
      return onSeen(set)
    }
    const done = await write(set, seen, { since: space.since, written: () => space.written() })
    if (!isSeen) remember()
    onWritten(done, set, isSeen)
  } catch (error) {
    onFailed()
    throw error
  }
}
