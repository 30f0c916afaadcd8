import type { Delivery } from '../job/protocol.ts'
import type { Gate } from './gate.ts'
import { DEFAULT_POLICY_NAME, POLICIES, type ResiliencePolicy } from './policy.ts'
import type { StageDocument } from './stage-document.ts'

/** A pipeline as data: its stages, and what holds, repeats and bounds them. */
export interface Topology {
  readonly name: string
  readonly version: string
  readonly policies?: { readonly [name: string]: ResiliencePolicy }
  readonly gates?: readonly Gate[]
  /** In their order. Without them, phases come in the order in which stages name them. */
  readonly phases?: readonly string[]
  readonly stages: readonly TopologyStage[]
}

export interface TopologyStage {
  readonly name: string
  readonly phase?: string
  /** Stages that come before it. */
  readonly depends_on?: readonly string[]
  /** `default` unless given. */
  readonly policy?: string
  /** It begins only when this gate is open. */
  readonly gate?: string
  readonly queue?: string
  /** Most attempts at once. */
  readonly concurrency?: number
  readonly document?: StageDocument
  readonly delivery?: Delivery
  readonly service?: string
}

/** The topology's own policy of that name, or the one that every topology has; undefined when there is neither. */
export function policyNamed(
  { policies = {} }: Topology,
  name = DEFAULT_POLICY_NAME,
): ResiliencePolicy | undefined {
  return Object.hasOwn(policies, name) ? policies[name] : POLICIES.get(name)
}

/** Phases in their order. */
export function phasesOf({ phases, stages }: Topology): readonly string[] {
  if (phases !== undefined) return phases
  return [...new Set(stages.flatMap(({ phase }) => (phase === undefined ? [] : [phase])))]
}
