import type { Random } from '../../world/random.ts'

/**
 * How a crash treats what was not synced. If everything always came down to one roll of the dice each, a test would
 * hardly ever see all of many things lost, or all of them kept, and those are what happens most on real disks.
 */
export type Luck = 'nothing' | 'everything' | 'some'

export function rollLuck(random: Random): Luck {
  const roll = random.next()
  if (roll < 0.2) return 'nothing'
  return roll < 0.4 ? 'everything' : 'some'
}

export function coin(random: Random): boolean {
  return random.next() < 0.5
}

/** A whole number from 0 to `most`, both included. */
export function upTo(most: number, random: Random): number {
  return Math.floor(random.next() * (most + 1))
}
