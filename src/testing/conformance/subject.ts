import type { Store } from '../../store/store.ts'
import type { VirtualWorld } from '../virtual-world.ts'

/** An engine as the suite sees it: how to get a store of it, and what it is excused from. */
export interface StoreSubject {
  readonly name: string
  /**
   * Opens a store with nothing in it. Its time is `world.clock`, which stands still unless the suite moves it; an
   * engine that asks a server for the time is to be told this one instead. Timers are real, so that an engine
   * may wait for a disk, a server or its next poll.
   */
  open(world: VirtualWorld): Promise<Store>
  /**
   * Opens once more what `open` opened in this world: after it was closed, and beside it where the engine says
   * `multiProcess`. Absent where nothing outlives the store.
   */
  reopen?(world: VirtualWorld): Promise<Store>
  /** After each test, when its stores are closed. */
  cleanUp?(): Promise<void>
  readonly skip?: readonly Skip[]
  /** The longest that a test, or a wait inside one, may take in real milliseconds; 10 seconds unless told. */
  readonly patienceMs?: number
  /** Random histories: how many, how long, from which seed. `WAYBILL_RUNS` and `WAYBILL_SEED` win. */
  readonly histories?: HistoryOptions
}

/** Tests that an engine does not have to pass, by name, and why not. */
export interface Skip {
  readonly reason: string
  readonly tests: readonly string[]
}

export interface HistoryOptions {
  readonly runs?: number
  readonly steps?: number
  readonly seed?: number
  /** False reports the first history that fails as it is, without looking for a shorter one. */
  readonly shrink?: boolean
}

export const DEFAULT_PATIENCE_MS = 10_000
