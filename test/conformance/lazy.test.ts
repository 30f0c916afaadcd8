import type { StoreSubject, VirtualWorld } from 'waybill/testing'
import type { Capabilities } from '../../src/store/capabilities.ts'
import { MemoryStore } from '../../src/store/memory/memory-store.ts'
import { LazyBacking, LazyStore } from './lazy-store.ts'
import { registerConformance } from './register.ts'

function lazy(name: string, declares: Partial<Capabilities>): StoreSubject {
  const backings = new WeakMap<VirtualWorld, LazyBacking>()
  const handle = (world: VirtualWorld) => {
    const backing = backings.get(world) ?? new LazyBacking(new MemoryStore(world, { freezes: false }))
    backings.set(world, backing)
    return new LazyStore(backing, declares)
  }
  return {
    name,
    open: async (world) => handle(world),
    reopen: async (world) => handle(world),
    histories: { runs: 15 },
  }
}

registerConformance(lazy('a lazy engine', {}))

registerConformance(
  lazy('a modest engine', {
    atomic: 'ordered',
    order: 'per-record',
    counts: 'approximate',
    findOrders: ['id'],
    batch: false,
  }),
)
