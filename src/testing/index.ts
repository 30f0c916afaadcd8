import '../node-version.ts'

export type { Store } from '../store/store.ts'
export type { HistoryOptions, Skip, StoreSubject } from './conformance/subject.ts'
export {
  type ConformanceResult,
  type ConformanceTest,
  storeConformance,
} from './conformance/suite.ts'
export { type DiskOperation, PowerLost } from './crash/operation.ts'
export { CrashDisk, type CrashDiskOptions } from './crash-disk.ts'
export { MemoryDisk } from './memory-disk.ts'
export { SeededRandom } from './seeded-random.ts'
export { VirtualClock } from './virtual-clock.ts'
export { type LogLine, type VirtualWorld, type VirtualWorldOptions, virtualWorld } from './virtual-world.ts'
