import type { JobEvent } from '../job/commands.ts'
import type { JsonObject } from '../json.ts'
import type { RunState } from '../machines/run.ts'
import type { WorkstreamState } from '../machines/workstream.ts'
import type { RunRecord } from './run-record.ts'
import type { WorkstreamRecord } from './workstream-record.ts'

/** A run or a workstream: jobs that belong together. */
export type GroupRecord = RunRecord | WorkstreamRecord

export type GroupKind = GroupRecord['kind']

export type GroupState = RunState | WorkstreamState

/** What every command on a run or workstream says. */
interface ToGroup {
  readonly tenant_id: string
  readonly kind: GroupKind
  readonly id: string
  readonly actor: string
  readonly reason: string | null
  readonly if_match?: string | undefined
}

export interface CreateGroup extends ToGroup {
  readonly type: 'createGroup'
  /** The id was made up for it: nobody else can have it, and nobody asked for it. */
  readonly isFreshId?: boolean | undefined
  /** The same key again is answered with what the first one made. */
  readonly request_key?: string | undefined
  /** The run that a workstream is part of. */
  readonly run_id: string | null
  readonly metadata: JsonObject
}

/** Somebody says where it stands, whatever its jobs do. */
export interface MoveGroup extends ToGroup {
  readonly type: 'moveGroup'
  readonly state: GroupState
  /** By way of what is in between, if there is anything; one that has ended stays as it is. */
  readonly through?: boolean | undefined
}

/** No more jobs are to come. */
export interface SealGroup extends ToGroup {
  readonly type: 'sealGroup'
}

/** Something to know about it, or something that happened. */
export interface AnnotateGroup extends ToGroup {
  readonly type: 'annotateGroup'
  readonly metadata: JsonObject
  readonly event: JobEvent | null
}

/** It follows its jobs. */
export interface FollowGroup extends ToGroup {
  readonly type: 'followGroup'
  readonly facts: GroupFacts
}

/** What its jobs are up to, taken together. A job that was escalated counts by the last of its chain. */
export interface GroupFacts {
  /** One has been begun with. */
  readonly started: boolean
  /** One has not ended. */
  readonly open: boolean
  /** One that has not begun could, as far as other jobs go. */
  readonly ready: boolean
  readonly succeeded: boolean
  readonly failed: boolean
  readonly cancelled: boolean
  /** It took no more jobs already before they were looked at: else one may have come since. */
  readonly sealed: boolean
  /** The same of the run that a workstream is part of. */
  readonly run_sealed: boolean
}

export type GroupCommand = CreateGroup | MoveGroup | SealGroup | AnnotateGroup | FollowGroup
