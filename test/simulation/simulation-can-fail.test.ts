// A simulation that never finds anything proves nothing. Here each of many mistakes is planted in turn, and has to be caught.
import { describe, expect, it } from 'vitest'
import type { Fault } from './faults/fault.ts'
import { IN_THE_KERNEL } from './faults/in-the-kernel.ts'
import { IN_THE_SERVICES } from './faults/in-the-services.ts'
import { IN_THE_STORE } from './faults/in-the-store.ts'
import { caughtBy } from './play-seeds.ts'
import type { Engine } from './scene.ts'

const MOST_SEEDS = 300
const LONGEST_MS = 10 * 60_000

describe('the simulation catches planted mistakes', () => {
  for (const fault of [...IN_THE_KERNEL, ...IN_THE_SERVICES, ...IN_THE_STORE]) {
    it(fault.name, { timeout: LONGEST_MS }, async () => {
      const caught = await firstCatch(fault)
      console.log(`${fault.name}: seed ${caught?.seed} on ${caught?.engine}: ${caught?.law}`)
      expect(caught?.law).toMatch(fault.caughtBy)
    })
  }
})

/** The first seed with which it is caught. Seeds are tried in their order, and none is chosen for a fault. */
async function firstCatch(fault: Fault) {
  for (let seed = 1; seed <= MOST_SEEDS; seed++) {
    const engine: Engine = fault.engine ?? (seed % 2 === 0 ? 'journal' : 'memory')
    const law = await caughtBy(fault, engine, seed)
    if (law !== null) return { seed, engine, law: law.split('\n')[0] ?? '' }
  }
  return null
}
