import { v7 } from 'uuid'
import type { Disk } from '../world/disk.ts'
import type { World } from '../world/world.ts'
import { MemoryDisk } from './memory-disk.ts'
import { SeededRandom } from './seeded-random.ts'
import { VirtualClock } from './virtual-clock.ts'

export interface VirtualWorldOptions {
  readonly seed?: number
  /** Epoch milliseconds at which time begins. */
  readonly startMs?: number
  /** In the place of a new `MemoryDisk`: one that was written before, or a `CrashDisk`. */
  readonly disk?: Disk
}

export interface LogLine {
  readonly level: 'debug' | 'info' | 'warn' | 'error'
  readonly fields: object
  readonly message: string
}

/** A world in which nothing happens by itself, and everything happens the same way again. */
export interface VirtualWorld extends World {
  readonly clock: VirtualClock
  /** What was logged and warned about, in order. */
  readonly logged: readonly LogLine[]
  readonly warned: readonly { readonly message: string; readonly code: string }[]
  advanceBy(ms: number): Promise<void>
}

const START_MS = Date.UTC(2025, 0, 2, 3, 4, 5)

export function virtualWorld({
  seed = 1,
  startMs = START_MS,
  disk = new MemoryDisk(),
}: VirtualWorldOptions = {}): VirtualWorld {
  const clock = new VirtualClock(startMs)
  const random = new SeededRandom(seed)
  // Dice of their own: whoever mints a token does not change what else happens.
  const unguessed = new SeededRandom(~seed)
  const logged: LogLine[] = []
  const warned: { message: string; code: string }[] = []
  const log = (level: LogLine['level']) => (fields: object, message: string) =>
    void logged.push({ level, fields, message })
  let made = 0
  return {
    clock,
    timers: clock,
    random,
    secrets: { bytes: (count) => Uint8Array.from({ length: count }, () => unguessed.next() * 256) },
    disk,
    ids: {
      next: () => {
        const bytes = Uint8Array.from({ length: 16 }, () => random.next() * 256)
        return v7({ msecs: clock.now(), seq: made++, random: bytes })
      },
    },
    logger: { debug: log('debug'), info: log('info'), warn: log('warn'), error: log('error') },
    warn: (message, code) => void warned.push({ message, code }),
    logged,
    warned,
    advanceBy: (ms) => clock.advanceBy(ms),
  }
}
