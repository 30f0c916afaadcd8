import type { Capabilities } from '../../store/capabilities.ts'
import type { Scene } from './scene.ts'

/** One test of the suite, before it is bound to a subject. */
export interface Check {
  readonly name: string
  /** Why it does not concern an engine with these capabilities; undefined when it does. */
  readonly excuse?: ((capabilities: Capabilities) => string | undefined) | undefined
  /** It needs a store that can be opened a second time. */
  readonly reopens?: boolean | undefined
  /** How many times the usual patience it may take. */
  readonly patience?: number | undefined
  run(scene: Scene): Promise<void>
}

export interface Topic {
  readonly topic: string
  readonly checks: readonly Check[]
}

type Excuse = NonNullable<Check['excuse']>

export const withoutBatches: Excuse = ({ batch }) =>
  batch ? undefined : 'the engine declares that it has no batches'

export const withoutTotalOrder: Excuse = ({ order }) =>
  order === 'total' ? undefined : 'the engine declares an order for each record only'

export const withoutExactCounts: Excuse = ({ counts }) =>
  counts === 'exact' ? undefined : 'the engine declares that its counts are approximate'

export const withoutOrderByChange: Excuse = ({ findOrders }) =>
  findOrders.includes('changed') ? undefined : 'the engine declares that it cannot sort by time of change'
