import { systemClock } from '../world/clock.ts'
import { systemIds } from '../world/ids.ts'
import { debugLogger } from '../world/logger.ts'
import { systemRandom } from '../world/random.ts'
import { systemTimers } from '../world/timers.ts'
import type { World } from '../world/world.ts'

/** What a service needs of the world: no disk, for it keeps nothing. */
export type ServiceWorld = Pick<World, 'clock' | 'timers' | 'random' | 'ids' | 'logger'>

export function serviceWorld(given: Partial<ServiceWorld> = {}): ServiceWorld {
  return {
    clock: given.clock ?? systemClock,
    timers: given.timers ?? systemTimers,
    random: given.random ?? systemRandom,
    ids: given.ids ?? systemIds,
    logger: given.logger ?? debugLogger,
  }
}
