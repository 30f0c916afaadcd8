import type { JobAggregate } from '../aggregate.ts'
import type { RequestIdentity } from '../idempotency.ts'
import type { Json, JsonObject } from '../json.ts'
import type { JobState } from '../machines/job.ts'
import type { Mode } from '../routing.ts'
import type { Protocol } from './protocol.ts'
import type {
  DependencyPolicy,
  JobRecord,
  OutboxRecord,
  OutputFile,
  Priority,
  Ref,
  Rung,
  StepRecord,
} from './record.ts'
import type { Task } from './task.ts'

/** What every command on a job says. */
interface ToJob {
  readonly tenant_id: string
  readonly job_id: string
  readonly actor: string
  readonly reason: string | null
  readonly if_match?: string | undefined
}

/** Accept a request, once per idempotency key. `job_id` is the id it gets if it is new. */
export interface SubmitJob extends ToJob, RequestIdentity {
  readonly type: 'submitJob'
  /** The id was made up for this request. */
  readonly isFreshId?: boolean | undefined
  readonly protocol: Protocol
  /** The payload as JSON, where it was written as such already. */
  readonly payloadText?: string | undefined
  readonly input_ref: Ref & Json
  readonly output_ref: Ref & Json
  readonly doc_id: string | null
  readonly mode: Mode | undefined
  readonly tenantMode: Mode | undefined
  readonly globalMode: Mode | undefined
  readonly idempotency_key: string | null
  readonly idempotency_hash: string
  readonly strictIdempotency: boolean
  readonly inFlightLimit: number
  readonly priority: Priority
  readonly depends_on: readonly string[]
  readonly on_dependency_failure: DependencyPolicy
  readonly run_at: string | null
  /** Instead of `run_at`: from the moment it is accepted. */
  readonly delay_ms: number | null
  readonly expires_at: string | null
  readonly run_id: string | null
  readonly workstream_id: string | null
  readonly schedule_id: string | null
  readonly pipeline_name: string | null
  readonly doc_key: string | null
  readonly metadata: JsonObject
  /** What is tried when it fails for good, in order. */
  readonly rungs: readonly Rung[]
  readonly tags: readonly string[]
  readonly callback_urls: JsonObject | null
  readonly correlation_id: string | null
  readonly traceparent: string | null
}

/** A dispatcher takes what there is to publish. */
interface TakeOutbox extends ToJob {
  readonly type: 'takeOutbox'
}

/** The publish succeeded. */
export interface RecordSent extends ToJob {
  readonly type: 'recordSent'
  readonly outbox_id: string
}

/** The publish failed. */
export interface RecordPublishFailure extends ToJob {
  readonly type: 'recordPublishFailure'
  readonly outbox_id: string
  /** Which try did, as the row said when it was taken; the one that is under way where it is not said. */
  readonly tries?: number
  readonly error: StepError
}

/** A worker takes the step that is waiting: dispatch and acknowledgement in one. */
export interface ClaimStep extends ToJob {
  readonly type: 'claimStep'
}

interface Callback extends ToJob {
  readonly step_id: string
  readonly attempt_no: number
  readonly lease_id: string
}

export interface AckStep extends Callback {
  readonly type: 'ackStep'
}

export interface HeartbeatStep extends Callback {
  readonly type: 'heartbeatStep'
}

export interface ReportResult extends Callback {
  readonly type: 'reportResult'
  readonly result: StepResult
}

/** A worker gives the step back: it stops for reasons of its own, and somebody else is to do it. */
export interface ReleaseStep extends Callback {
  readonly type: 'releaseStep'
  /** Why, by a name of its own, and how long nobody is to try; at once when absent. */
  readonly error?: StepError | undefined
  readonly delay_ms?: number | undefined
}

export type StepResult =
  | {
      readonly status: 'SUCCEEDED'
      readonly output?: Json
      /** Instead of `output`, where that is too large to be kept with the step. */
      readonly output_file?: OutputFile
      readonly output_ref?: Ref
      /** How many things came of it, where that is not to be seen from the output. */
      readonly output_count?: number
      /** Laid over the metadata of the job. */
      readonly metadata?: JsonObject
    }
  | {
      readonly status: 'FAILED'
      readonly failure_class: FailureClass
      readonly error: StepError
      readonly metadata?: JsonObject
    }

export type FailureClass = 'RETRYABLE' | 'NON_RETRYABLE'

export interface StepError {
  readonly code: string
  readonly message: string
  readonly details?: JsonObject
}

export interface CancelJob extends ToJob {
  readonly type: 'cancelJob'
}

/** Do whatever is due: time out, retry, dispatch, finish; also the repair after a crash. */
export interface AdvanceJob extends ToJob {
  readonly type: 'advanceJob'
}

/** Something to know about a job, beside its state: laid over its metadata, told in its history. */
export interface AnnotateJob extends ToJob {
  readonly type: 'annotateJob'
  /** A field that is null goes. */
  readonly metadata: JsonObject
  /** What happened, for whoever follows the history. */
  readonly event: JobEvent | null
}

export interface JobEvent {
  readonly event_type: string
  readonly payload: JsonObject
}

/** Another scheduler, or a person, says how the stages go that are not ours to run. */
export interface ReportStage extends ToJob {
  readonly type: 'reportStage'
  readonly report: StageReport
}

export type StageReport =
  /** The run is about to begin: what it is given is kept with the job. */
  | { readonly what: 'prepared'; readonly pipeline_name: string; readonly metadata: JsonObject }
  /** The whole run was begun once more. */
  | { readonly what: 'attempted' }
  | { readonly what: 'started'; readonly stage: string }
  /** An attempt at it failed, and another one has begun. */
  | { readonly what: 'retried'; readonly stage: string; readonly error: StepError | null }
  | ({ readonly what: 'succeeded'; readonly stage: string } & StageFacts)
  /** It failed for good, and with it the job; null before the first stage, or between two. */
  | { readonly what: 'failed'; readonly stage: string | null; readonly error: StepError }
  /** There are no more stages to come. */
  | { readonly what: 'completed'; readonly metadata: JsonObject }

/** What is known of a stage that succeeded; null where nobody said, and the ledger's own count is taken. */
interface StageFacts {
  readonly attempts: number | null
  readonly output_count: number | null
  readonly duration_ms: number | null
  readonly output: Json
}

/** What an operator may let a job pass over, beside every delay and backoff. */
export type Obstacle = 'dependencies' | 'limits' | 'attempt' | 'gate'

/** Get on with a job: end its delay and backoffs now, and whatever else it is told not to wait for. */
export interface ExpediteJob extends ToJob {
  readonly type: 'expediteJob'
  readonly priority: Priority | null
  readonly ignore: readonly Obstacle[]
}

/** Make a new job of one that has ended: all of it, or from a step on. */
export interface RunAgain extends ToJob {
  readonly type: 'runAgain'
  readonly new_job_id: string
  readonly from_step: string | null
  readonly idempotency_key: string | null
  readonly inFlightLimit: number
}

export type CallbackCommand = AckStep | HeartbeatStep | ReportResult | ReleaseStep

export type JobCommand =
  | SubmitJob
  | TakeOutbox
  | RecordSent
  | RecordPublishFailure
  | ClaimStep
  | CallbackCommand
  | CancelJob
  | ExpediteJob
  | RunAgain
  | AnnotateJob
  | ReportStage
  | AdvanceJob

export interface SubmitAnswer {
  readonly job_id: string
  readonly duplicate: boolean
  /** For a duplicate by key: in which fields this request is not the one that was accepted. */
  readonly differing: readonly string[]
}

/** `cancel` tells the worker to stop: the job is being cancelled, or the attempt is no longer its own. */
export interface CallbackAnswer {
  readonly status: 'accepted' | 'ignored'
  readonly cancel: boolean
  readonly lease_expires_at: string | null
  /** Where the message left the job, and when the step is tried again if it is. */
  readonly job_state: JobState
  readonly retry_at: string | null
}

export interface ClaimAnswer {
  readonly job: JobRecord
  readonly step: StepRecord
  /** Output of the step before; null for the first. */
  readonly previous: Json
  /** Where that is, when it is in a file. */
  readonly previous_file: OutputFile | null
  /** Whoever needs no more than this does not have the records made. */
  readonly task: Task
}

export interface AnswerOf {
  readonly submitJob: SubmitAnswer
  readonly takeOutbox: OutboxRecord
  readonly recordSent: CallbackAnswer
  readonly recordPublishFailure: CallbackAnswer
  readonly claimStep: ClaimAnswer
  readonly ackStep: CallbackAnswer
  readonly heartbeatStep: CallbackAnswer
  readonly reportResult: CallbackAnswer
  readonly releaseStep: CallbackAnswer
  readonly cancelJob: JobRecord
  readonly expediteJob: JobRecord
  readonly runAgain: SubmitAnswer
  readonly annotateJob: JobRecord
  readonly reportStage: JobAggregate
  readonly advanceJob: JobRecord
}
