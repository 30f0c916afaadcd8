import type { Json, JsonObject } from '../json.ts'
import type { JobState } from '../machines/job.ts'
import type { OutboxState } from '../machines/outbox.ts'
import type { StepState } from '../machines/step.ts'
import type { Gate } from '../pipeline/gate.ts'
import type { StageDocument } from '../pipeline/stage-document.ts'
import type { DecisionSource, Mode } from '../routing.ts'
import type { Delivery, Limit, Protocol, StepPolicy } from './protocol.ts'

/** Where the input is, or where the output goes: an address, or an address with what is known of the thing there. */
export type Ref =
  | string
  | {
      readonly uri: string
      readonly checksum?: string
      readonly size_bytes?: number
      readonly content_type?: string
      readonly metadata?: JsonObject
    }

/** The most urgent first: a job has the place of its own in this list. */
export const PRIORITIES = ['critical', 'high', 'normal', 'low'] as const

export type Priority = 0 | 1 | 2 | 3

/** What becomes of a job when one it depends on did not succeed. */
export const DEPENDENCY_POLICIES = ['fail', 'skip', 'release'] as const

export type DependencyPolicy = (typeof DEPENDENCY_POLICIES)[number]

interface Routed {
  readonly resolved_mode: Mode
  readonly lane: number
  readonly routing_key_used: string
  readonly decision_source: DecisionSource
  readonly decision_reason: string
}

export interface JobRecord extends Routed {
  readonly kind: 'job'
  readonly tenant_id: string
  readonly job_id: string
  readonly request_type: string
  readonly protocol_id: string
  readonly doc_id: string | null
  readonly state: JobState
  readonly state_since: string
  readonly idempotency_key: string | null
  readonly idempotency_hash: string
  readonly current_step_id: string
  readonly current_step_index: number
  readonly attempts_total: number
  readonly priority: Priority
  readonly depends_on: readonly string[]
  readonly on_dependency_failure: DependencyPolicy
  readonly run_at: string | null
  /** Ends waits (for a worker, a dependency, a pause), never work that has begun. */
  readonly expires_at: string | null
  /** The ended job that this one runs again. */
  readonly again_of: string | null
  /** The schedule that submitted it. */
  readonly schedule_id: string | null
  /** Somebody let it pass all limits. */
  readonly unlimited: boolean
  /** The pipeline it goes through; its stages then say in the metadata how they went. */
  readonly pipeline_name: string | null
  /** A key that no other job of the tenant has: the document's own. */
  readonly doc_key: string | null
  /** What stages, adapters and people have said of it. */
  readonly metadata: JsonObject
  /** How often another scheduler says that it began with it. */
  readonly job_attempts: number
  /** While another scheduler has it and no stage is under way: when it has to have said something. */
  readonly report_by: string | null
  /** What is tried when it fails for good, and what it came from in this way. */
  readonly escalation: Escalation | null
  readonly run_id: string | null
  readonly workstream_id: string | null
  readonly tags: readonly string[]
  readonly input_ref: Ref
  readonly output_ref: Ref
  readonly payload: Json
  readonly schema_version: string
  readonly callback_urls: JsonObject | null
  readonly correlation_id: string | null
  readonly traceparent: string | null
  readonly created_at: string
  readonly updated_at: string
  readonly completed_at: string | null
  readonly error_code: string | null
  readonly error_message: string | null
  /** Topics whose signals concern this job; stores index it. */
  readonly waits_for: readonly string[]
  /** The earliest time at which `advance` has something to do; stores index it. */
  readonly due_at: string | null
  /** What a worker or dispatcher could take now; stores index it. */
  readonly ready: Ready | null
  etag: string
}

/** Jobs that follow on each other's failure. */
export interface Escalation {
  /** What is tried next, in order. */
  readonly rungs: readonly Rung[]
  /** 1 for the first job of the chain. */
  readonly level: number
  /** The first job of the chain; null when this is it. */
  readonly original_job_id: string | null
  readonly escalated_from: string | null
  readonly escalation_reason: string | null
  /** The job that took over; null until there is one. */
  readonly escalated_to: string | null
}

/** A job that is made when the one before it has failed for good. */
export interface Rung {
  readonly protocol: Protocol
  readonly payload: Json
  readonly priority: Priority
}

export interface Ready {
  readonly queue: string
  /** Work of one group shares its limits: when its head cannot start, the rest of the group cannot either. */
  readonly group: string
  /** Lower goes first. */
  readonly rank: number
  readonly limits: readonly Limit[]
  /** It passes all limits: somebody let it, or its attempt has begun and is only to be published once more. */
  readonly unlimited?: true
}

/** A gate, and how a job stands with it. */
export interface StepGate extends Gate {
  /** When the job was parked at it; null before it gets there. */
  readonly since: string | null
  /** When waiting for it is over, for better or worse. */
  readonly until: string | null
  /** What the values of its `changed` clauses were when the job got there; null until somebody looked. */
  readonly seen: JsonObject | null
  /** Somebody has looked since it was last worth it. */
  readonly looked: boolean
  readonly opened_at: string | null
}

/** Where a large output lies: its name in the ledger's own folder for them, and what it must hold. */
export interface OutputFile {
  readonly file: string
  readonly sha256: string
  readonly size_bytes: number
}

export interface StepRecord {
  readonly kind: 'step'
  readonly tenant_id: string
  readonly job_id: string
  readonly step_id: string
  readonly step_index: number
  readonly step_type: string
  readonly service: string
  readonly delivery: Delivery
  readonly queue: string
  readonly limits: readonly Limit[]
  readonly policy: StepPolicy
  /** What has to come true before it begins; null when nothing has to. */
  readonly gate: StepGate | null
  /** The states that the job's document goes through with it. */
  readonly document: StageDocument | null
  readonly state: StepState
  readonly state_since: string
  /** 0 until the first attempt. */
  readonly attempt_no: number
  /** Attempts that were given back unused, and so do not count. */
  readonly released: number
  readonly lease_id: string | null
  readonly lease_expires_at: string | null
  /** Who holds the lease: a worker's name, or the service the directive went to. */
  readonly holder: string | null
  /** It holds one of the places of its queue. */
  readonly queue_slot: boolean
  readonly ack_deadline_at: string | null
  readonly retry_at: string | null
  readonly input_ref: Ref
  readonly workspace_ref: Ref | null
  readonly output_ref: Ref
  /** Its own part of the payload; null when it gets the job's whole payload. */
  readonly payload: Json
  /** What it returned; the next step's `previous`. */
  readonly output: Json
  /** The file that has its output, where that is too large to be kept here. */
  readonly output_file: OutputFile | null
  /** Where it says that its output is; the next step's input. */
  readonly result_ref: Ref | null
  readonly resolved_mode: Mode | null
  readonly lane: number | null
  readonly routing_key_used: string | null
  readonly decision_source: DecisionSource | null
  readonly decision_reason: string | null
  readonly last_error_code: string | null
  readonly last_error_message: string | null
  readonly created_at: string
  readonly updated_at: string
  readonly completed_at: string | null
  etag: string
}

export interface OutboxRecord extends Routed {
  readonly kind: 'outbox'
  readonly tenant_id: string
  readonly outbox_id: string
  readonly job_id: string
  readonly step_id: string
  readonly attempt_no: number
  readonly lease_id: string
  readonly state: OutboxState
  readonly state_since: string
  readonly topic: string
  readonly partition: number
  /** The directive, as it is published. */
  readonly payload: JsonObject
  /** Publishes begun. */
  readonly tries: number
  /** A dispatcher is publishing it until then; null when nobody is. */
  readonly taken_until: string | null
  readonly next_try_at: string | null
  readonly last_error_code: string | null
  readonly last_error_message: string | null
  readonly created_at: string
  readonly updated_at: string
  readonly sent_at: string | null
  etag: string
}
