import { MemoryStore } from '../../src/store/memory/memory-store.ts'
import { registerConformance } from './register.ts'

registerConformance({ name: 'memory', open: async (world) => new MemoryStore(world) })
