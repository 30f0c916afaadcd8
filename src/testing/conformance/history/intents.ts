import type { GroupFacts, GroupKind } from '../../../core/group/commands.ts'
import type { Obstacle, StageReport } from '../../../core/job/commands.ts'
import type { DependencyPolicy, Priority } from '../../../core/job/record.ts'
import type { DocumentState } from '../../../core/machines/document.ts'
import type { SteerQueue } from '../../../core/queue/decide.ts'
import type { MoveSchedule } from '../../../core/schedule/commands.ts'
import type { CatchUp, Overlap } from '../../../core/schedule/record.ts'

/**
 * One step of a random history. It says what to try, by numbers that are looked up in what is there by then, so
 * that any history can be played, and any part of it too.
 */
export type Intent =
  | CommandIntent
  | { readonly what: 'batch'; readonly parts: readonly CommandIntent[] }
  /** Whatever brings the job to an end: left to chance alone, few would get there. */
  | { readonly what: 'finish'; readonly job: number }
  | WorkIntent
  | { readonly what: 'due' | 'signalled'; readonly limit: number }
  | { readonly what: 'pass'; readonly ms: number }
  /** To the next timer, or to just before it. */
  | { readonly what: 'pass to due'; readonly early: boolean }
  /** Somebody sets the clock back. */
  | { readonly what: 'turn back'; readonly ms: number }
  | { readonly what: 'maintain' | 'reopen' }

export type CommandIntent =
  | UpdateIntent
  | SubmitIntent
  | JobIntent
  | CallbackIntent
  | PublishIntent
  | SteerIntent
  | ScheduleIntent
  | FireIntent
  | TokenIntent
  | ExpediteIntent
  | AgainIntent
  | AnnotateIntent
  | StageIntent
  | GroupIntent
  /** Whatever brings the job on; jobs are counted back from the newest. */
  | { readonly what: 'drive'; readonly job: number }

export interface UpdateIntent {
  readonly what: 'update'
  readonly tenant: string
  readonly doc: number
  /** A declared edge, by number; or any state at all. */
  readonly to: number | DocumentState
  readonly match: Match
  readonly failed: boolean
  readonly validate: boolean
}

/** Which etag the caller demands. */
export type Match = 'any' | 'current' | 'wrong'

export interface SubmitIntent {
  readonly what: 'submit'
  readonly tenant: string
  /** Under the id of a job that is there already. */
  readonly known: boolean
  readonly protocol: number
  readonly request: number
  readonly key: string | null
  readonly strict: boolean
  readonly limit: number
  readonly priority: Priority
  /** On jobs of the same tenant, counted back from the newest; 0 is one that nobody knows. */
  readonly dependsOn: readonly number[]
  readonly policy: DependencyPolicy
  readonly delayMs: number | null
  readonly expiresMs: number | null
  readonly burst: boolean
  /** How many jobs follow when it fails. */
  readonly rungs: number
  readonly docKey: string | null
  readonly workstream: number | null
}

export interface JobIntent {
  readonly what: 'claimStep' | 'takeOutbox' | 'cancelJob' | 'advanceJob'
  /** Counted back from the newest. */
  readonly job: number
  /** As if from another tenant. */
  readonly stranger: boolean
  readonly match: Match
}

export interface CallbackIntent {
  readonly what: 'ack' | 'heartbeat' | 'result' | 'give back'
  /** Counted back from the newest. */
  readonly attempt: number
  readonly fence: 'right' | 'wrong lease' | 'wrong attempt' | 'wrong step'
  readonly result: 'success' | 'retryable' | 'final'
  /** What is said of the attempt beside how it ended; of one given back, until when. */
  readonly more: boolean
}

export interface PublishIntent {
  readonly what: 'sent' | 'publish failed'
  /** Counted back from the newest. */
  readonly row: number
}

export interface SteerIntent {
  readonly what: 'steer'
  readonly queue: string
  readonly set: Pick<SteerQueue, 'state' | 'concurrency' | 'rate'>
  readonly match: Match
}

export interface ScheduleIntent {
  readonly what: 'schedule'
  readonly tenant: string
  readonly to: 'put' | MoveSchedule['state']
  readonly overlap: Overlap
  readonly catchUp: CatchUp
  readonly match: Match
}

/** Somebody thinks that a schedule is due: now, or for the time before. */
export interface FireIntent {
  readonly what: 'fire'
  readonly tenant: string
  readonly late: boolean
  readonly limit: number
}

/** Two tokens come and go. */
export interface TokenIntent {
  readonly what: 'token'
  readonly id: string
  readonly to: 'mint' | 'revoke'
  readonly match: Match
}

export interface ExpediteIntent {
  readonly what: 'expedite'
  readonly job: number
  readonly ignore: readonly Obstacle[]
  readonly priority: Priority | null
}

export interface AgainIntent {
  readonly what: 'again'
  readonly job: number
  /** By number; null is from the beginning. */
  readonly from: number | null
  readonly key: string | null
  readonly limit: number
}

export interface AnnotateIntent {
  readonly what: 'annotate'
  readonly job: number
  /** Whether gates are to open; null says nothing of it. */
  readonly go: boolean | null
  readonly event: boolean
  readonly match: Match
}

/** What another scheduler says, of stages that it may or may not have begun. */
export interface StageIntent {
  readonly what: 'stage'
  readonly job: number
  readonly says: StageReport['what']
  readonly stage: number
}

export interface GroupIntent {
  readonly what: 'group'
  readonly tenant: string
  readonly kind: GroupKind
  readonly id: number
  readonly to: 'create' | 'seal' | 'follow' | 'event' | 'metadata' | 'move'
  readonly facts: Partial<GroupFacts>
  readonly match: Match
}

export interface WorkIntent {
  readonly what: 'claim' | 'take'
  readonly limit: number
}
