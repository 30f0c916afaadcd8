import { openOn } from '../../src/store/azure-tables/opening.ts'
import { MemoryDisk } from '../../src/testing/memory-disk.ts'
import type { Disk } from '../../src/world/disk.ts'
import { FakeTableService } from '../azure-tables/fake-table-service.ts'
import type { MortalTimers } from './mortal-timers.ts'
import { ObservedAccount, ObservedAzureStore } from './observed-azure.ts'
import type { Scene } from './scene.ts'
import { Wire } from './wire.ts'

/** What all processes share that have the ledger in an account: its tables, and a folder for outputs. */
export interface Account {
  readonly tables: ObservedAccount
  readonly disk: Disk
}

export function accountFor({ engine, world }: Scene): Account | null {
  if (engine !== 'azure-tables') return null
  return { tables: new ObservedAccount(world.timers), disk: new MemoryDisk() }
}

/** The ledger as one process has it. */
export async function openAccount(
  scene: Scene,
  { tables, disk }: Account,
  timers: MortalTimers,
  onDeath: () => void,
): Promise<{ store: ObservedAzureStore; disk: Disk }> {
  const { world, laws, trace } = scene
  const say = (_: object, message: string) => trace.add(message)
  const logger = { ...world.logger, info: say, warn: say, error: say }
  let observed: ObservedAzureStore | null = null
  const wire = new Wire({ scene, timers, onDeath, onHeard: (request) => observed?.heard(request) })
  const store = await openOn(new FakeTableService(tables, wire), { ...world, timers, logger })
  observed = new ObservedAzureStore(store, tables, {
    say: (what) => trace.add(what),
    commit: (commit) => laws.commit(commit),
    ignored: (entry) => laws.ignored(entry),
    broke: (error) => scene.broke(error),
  })
  return { store: observed, disk }
}
