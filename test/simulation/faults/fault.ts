import type { Jobs } from '../../../src/ledger/jobs.ts'
import type { Publisher } from '../../../src/runtime/publishers/publisher.ts'
import type { Store } from '../../../src/store/store.ts'
import type { Disk } from '../../../src/world/disk.ts'
import type { Engine } from '../scene.ts'

/** A mistake that somebody could make, planted around the system for a run. */
export interface Fault {
  readonly name: string
  /** What the law that is broken says. */
  readonly caughtBy: RegExp
  /** Where it can happen at all; on either engine when absent. */
  readonly engine?: Engine
  /** For each run anew: faults remember things. */
  plant(): Planted
}

/** Each part is put in front of the sound one, whenever a process starts. */
export interface Planted {
  readonly store?: (sound: Store) => Store
  readonly disk?: (sound: Disk) => Disk
  readonly jobs?: (sound: Jobs) => Partial<Jobs>
  readonly publisher?: (sound: Publisher, jobs: Jobs) => Publisher
}

export const NO_FAULT: Fault = { name: 'none', caughtBy: /^$/, plant: () => ({}) }
