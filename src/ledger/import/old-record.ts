// What other systems have, in one form: a source reads it from its database, the importer makes requests of it.
import type { Backoff } from '../../core/backoff.ts'
import type { Limit } from '../../core/job/protocol.ts'
import type { DependencyPolicy } from '../../core/job/record.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import type { CatchUp } from '../../core/schedule/record.ts'

export type OldSystem = 'bullmq' | 'pg-boss' | 'graphile-worker'

/** `blocked` waits for other jobs. Whatever the system calls them. */
export type OldState = 'waiting' | 'delayed' | 'blocked' | 'active' | 'failed' | 'completed' | 'cancelled'

interface OldRecordBase {
  /** Its id in the old system. */
  readonly id: string
  /** The same over all systems: what it goes by here, so that it is taken over once. */
  readonly key: string
  /** Where workers look for it. */
  readonly queue: string
  /** What kind of job it is, for systems whose queues hold several kinds. */
  readonly name: string
  readonly payload: Json
  readonly priority: 'high' | 'normal' | 'low'
  readonly max_attempts: number
  /** As it is counted from the first attempt; null where only its own code knows. */
  readonly backoff: Backoff | null
  /** Longest that an attempt may take. */
  readonly timeout_ms: number | null
  readonly limits: readonly Limit[]
  /** What of it has no place here, for people to know. */
  readonly differences: readonly string[]
  /** Why it cannot be taken over at all. */
  readonly problem: string | null
}

export interface OldJob extends OldRecordBase {
  readonly kind: 'job'
  readonly state: OldState
  /** Epoch milliseconds; null for at once. */
  readonly run_at: number | null
  /** Epoch milliseconds: nobody wants it any more then. */
  readonly expires_at: number | null
  /** Attempts that are over. */
  readonly attempts_made: number
  /** Keys of the jobs that have to end first. */
  readonly depends_on: readonly string[]
  readonly on_dependency_failure: DependencyPolicy
  readonly tags: readonly string[]
  /** What it came to, if it did. */
  readonly output: Json
  readonly error: string | null
  /** More that is worth keeping. */
  readonly facts: JsonObject
  readonly created_at: string | null
}

export interface OldSchedule extends OldRecordBase {
  readonly kind: 'schedule'
  readonly state: 'schedule'
  readonly cron: string
  readonly timezone: string
  readonly catch_up: CatchUp
}

export type OldRecord = OldJob | OldSchedule

/** A database of another system, which is only read. */
export interface Source extends AsyncDisposable {
  readonly system: OldSystem
  /** As its makers write it. */
  readonly title: string
  readonly version: string
  /** Where it is, without a password. */
  readonly where: string
  /** How many records there are to read, about. */
  count(): Promise<number>
  /** How many jobs are being worked on right now. */
  active(): Promise<number>
  /** Page by page: what was to be done first comes first. */
  records(): AsyncIterable<readonly OldRecord[]>
  /** What is true of whole queues and is not taken over; known when everything was read. */
  notes(): readonly string[]
}

/** Which queues are wanted; a source need not read the others. */
export type WantsQueue = (queue: string) => boolean

/** How many records are read, and taken over, at a time. */
export const PAGE = 250
