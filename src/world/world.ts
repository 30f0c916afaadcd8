import type { IdSource } from '../core/decision.ts'
import { type Clock, systemClock } from './clock.ts'
import type { Disk } from './disk.ts'
import { systemIds } from './ids.ts'
import { debugLogger, type Logger } from './logger.ts'
import { nodeDisk } from './node-disk.ts'
import { type Random, systemRandom } from './random.ts'
import { type Secrets, systemSecrets } from './secrets.ts'
import { systemTimers, type Timers } from './timers.ts'

/** Everything outside the program: handed in, so that tests can hand in another. */
export interface World {
  readonly clock: Clock
  readonly timers: Timers
  readonly ids: IdSource
  readonly random: Random
  readonly secrets: Secrets
  readonly disk: Disk
  readonly logger: Logger
  /** Tells the developer something they should know even if they keep no log: what they use is going away, mostly. */
  warn(message: string, code: string, type?: 'DeprecationWarning' | 'Warning'): void
}

export const realWorld: World = {
  clock: systemClock,
  timers: systemTimers,
  ids: systemIds,
  random: systemRandom,
  secrets: systemSecrets,
  disk: nodeDisk,
  logger: debugLogger,
  warn: (message, code, type = 'DeprecationWarning') => process.emitWarning(message, { type, code }),
}
