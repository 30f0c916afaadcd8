import type { Duration } from '../../core/duration.ts'
import type { Delivery } from '../../core/job/protocol.ts'
import type { Json } from '../../core/json.ts'
import type { DocumentState } from '../../core/machines/document.ts'
import type { GateOp } from '../../core/pipeline/gate.ts'

/** A topology as people write it, in a file or in code. Spans of time are milliseconds or text such as `30s`. */
export interface TopologySource {
  readonly name: string
  readonly version: string
  readonly policies?: { readonly [name: string]: PolicySource }
  readonly gates?: readonly GateSource[]
  readonly phases?: readonly string[]
  readonly stages: readonly StageSource[]
}

/** What is left out of the first three is as in the policy `default`; without the others there is no breaker, no rate. */
export interface PolicySource {
  readonly attempts?: number
  readonly timeout?: Duration
  readonly backoff?: BackoffSource
  /** Null: none, also where the policy that a stage names has one. */
  readonly breaker?: { readonly failures: number; readonly recovery: Duration } | null
  readonly rate?: { readonly calls: number; readonly per: Duration } | null
}

export type BackoffSource =
  | 'none'
  | { readonly kind: 'none' }
  | { readonly kind: 'list'; readonly delays: readonly Duration[] }
  | {
      readonly kind: 'linear' | 'exponential' | 'fibonacci'
      readonly base: Duration
      readonly cap: Duration
      readonly jitter?: number
    }

export interface GateSource {
  readonly name: string
  readonly when: ConditionSource
  readonly timeout?: Duration
  readonly resume?: string
}

export type ConditionSource =
  | { readonly all: readonly ConditionSource[] }
  | { readonly any: readonly ConditionSource[] }
  | { readonly field: string; readonly op: GateOp; readonly value?: Json }
  | { readonly field: string; readonly equals: Json }
  | { readonly field: string; readonly not_equals: Json }
  | { readonly field: string; readonly exists: boolean }
  | { readonly field: string; readonly in: readonly Json[] }
  | { readonly field: string; readonly changed: true }

/** What it says of attempts, times, breaker and rate goes before what its policy says. */
export interface StageSource extends PolicySource {
  readonly name: string
  readonly phase?: string
  readonly depends_on?: readonly string[]
  readonly policy?: string
  readonly gate?: string
  readonly queue?: string
  readonly concurrency?: number
  readonly document?: {
    readonly enters?: DocumentState
    readonly leaves?: DocumentState
    readonly fails?: DocumentState
  }
  readonly delivery?: Delivery
  readonly service?: string
}
