import type { UpdateDocument } from '../core/document/decide.ts'
import type { DeprecatedState, LedgerState } from '../core/document/states.ts'
import type { GroupFacts, GroupKind } from '../core/group/commands.ts'
import type {
  AckStep,
  AnnotateJob,
  CancelJob,
  ClaimStep,
  ExpediteJob,
  HeartbeatStep,
  RecordPublishFailure,
  RecordSent,
  ReleaseStep,
  ReportResult,
  ReportStage,
  RunAgain,
  StageReport,
  StepError,
  StepResult,
  SubmitJob,
} from '../core/job/commands.ts'
import type { OutboxRecord } from '../core/job/record.ts'
import type { JsonObject } from '../core/json.ts'
import type { QueueState } from '../core/machines/queue.ts'
import type { ScheduleState } from '../core/machines/schedule.ts'
import type { SteerQueue } from '../core/queue/decide.ts'
import { EVERYBODY } from '../core/queue/record.ts'
import type { FireSchedule, MoveSchedule, PutSchedule } from '../core/schedule/commands.ts'
import type { ScheduleRecord } from '../core/schedule/record.ts'
import type { World } from '../world/world.ts'
import { calendar, checkTimes } from './calendar.ts'
import { checkCount, checkId, checkOptionalCount, checkText } from './check-input.ts'
import { parseStepError } from './checked-result.ts'
import { checkedExpedite, checkedQueueLimits, checkedSchedule } from './checked-steering.ts'
import type {
  Attempt,
  CreateOptions,
  NewRun,
  NewWorkstream,
  ReleaseOptions,
  SubmitToOptions,
  UpdateOptions,
} from './command-options.ts'
import { errorContextOf } from './error-context.ts'
import {
  annotateGroup,
  createGroup,
  type EventInput,
  eventOf,
  followGroup,
  moveGroup,
  sealGroup,
  type ToGroup,
} from './group-commands.ts'
import { keptMetadata, keptRequest } from './kept-metadata.ts'
import { parseEnvelope } from './parse-envelope.ts'
import { envelopeFor, type PipelineLike, type PipelineRequest } from './pipeline-request.ts'
import type { Protocols } from './protocols.ts'
import type { Envelope } from './request.ts'
import { parseResult } from './result.ts'
import { type CallOptions, inFlightLimitOf, type LedgerSettings } from './settings.ts'
import { parseStageReport } from './stage-report.ts'
import { StateNames } from './state-names.ts'
import type { AgainOptions, ExpediteOptions, QueueLimits, Schedule } from './steering.ts'
import { priorityOf, submitCommand } from './submit-command.ts'
import { actorOf, reasonOf } from './who-asks.ts'

/**
 * Makes commands: checks what the caller gave, and fills in who asks, for whom and why. Nothing happens until a
 * command is run, alone by the method of the same name or together with others by `ledger.batch`.
 */
export class Commands {
  readonly #settings: LedgerSettings
  readonly #protocols: Protocols
  readonly #world: World
  readonly #states: StateNames

  constructor(settings: LedgerSettings, protocols: Protocols, world: World) {
    this.#settings = settings
    this.#protocols = protocols
    this.#world = world
    this.#states = new StateNames(world)
  }

  updateState(doc_id: string, state: LedgerState, options?: UpdateOptions): UpdateDocument
  /** @deprecated Use a `LedgerState`. Old names are mapped, work the same, and warn once each. */
  updateState(doc_id: string, state: DeprecatedState, options?: UpdateOptions): UpdateDocument
  updateState(doc_id: string, state: string, options: UpdateOptions = {}): UpdateDocument {
    return {
      type: 'updateDocument',
      tenant_id:
        options.tenant_id === undefined ? this.#settings.tenant_id : checkId('tenant_id', options.tenant_id),
      doc_id: checkId('doc_id', doc_id),
      state: this.#states.stateOf(state),
      // Not `...this.#by(options)`: this is the way of every document, and copying is felt.
      actor: actorOf(options, this.#settings),
      reason: reasonOf(options, this.#settings),
      adapter: options.adapter === undefined ? undefined : checkText('adapter', options.adapter),
      metadata: this.#metadata(options.metadata),
      error: options.error === undefined ? undefined : errorContextOf(options.error, this.#settings.redact),
      retry_count: checkOptionalCount('retry_count', options.retry_count),
      max_retries: checkOptionalCount('max_retries', options.max_retries),
      if_match: options.if_match,
      request_key:
        options.request_key === undefined ? undefined : checkId('request_key', options.request_key),
      validate: options.validate ?? this.#settings.validateTransitions,
    }
  }

  submit(envelope: Envelope, options: CallOptions = {}): SubmitJob {
    const request = parseEnvelope(envelope)
    const protocol = this.#protocols.get(request.request_type)
    this.#protocols.checkPayload(request, protocol)
    return submitCommand(request, protocol, this.#settings, this.#world, this.#by(options))
  }

  /** A job for a pipeline, or under a protocol that nobody registered. */
  submitTo(pipeline: PipelineLike, request: PipelineRequest, options: SubmitToOptions = {}): SubmitJob {
    const { rungs, ...call } = options
    const envelope = envelopeFor(pipeline, request, this.#tenant({ tenant_id: request.tenant_id }))
    const parsed = parseEnvelope(envelope)
    const protocol = this.#protocols.adopt(pipeline.protocol)
    this.#protocols.checkPayload(parsed, protocol)
    const command = submitCommand(parsed, protocol, this.#settings, this.#world, this.#by(call))
    return rungs === undefined ? command : { ...command, rungs }
  }

  reportStage(job_id: string, report: StageReport, options: CallOptions = {}): ReportStage {
    const checked = parseStageReport(report, this.#settings.redact)
    return { type: 'reportStage', report: checked, ...this.#to({ job_id }, options) }
  }

  /** Something to know about a job, and something that happened. */
  annotate(
    job_id: string,
    metadata: JsonObject,
    event: EventInput | null = null,
    options: CallOptions = {},
  ): AnnotateJob {
    return {
      type: 'annotateJob',
      metadata: this.#metadata(metadata),
      event: event === null ? null : eventOf(event, this.#settings.redact),
      ...this.#to({ job_id }, options),
    }
  }

  claim(job_id: string, options: CallOptions = {}): ClaimStep {
    return { type: 'claimStep', ...this.#to({ job_id }, options) }
  }

  createRun({ run_id, metadata }: NewRun, options: CreateOptions = {}) {
    const to = this.#group('run', run_id ?? this.#world.ids.next(), options)
    const { request_key } = options
    return createGroup(to, {
      metadata: this.#metadata(metadata),
      isFreshId: run_id === undefined,
      request_key,
    })
  }

  createWorkstream({ workstream_id, run_id, metadata }: NewWorkstream, options: CreateOptions = {}) {
    const to = this.#group('workstream', workstream_id ?? this.#world.ids.next(), options)
    const { request_key } = options
    const isFreshId = workstream_id === undefined
    return createGroup(to, { run_id, metadata: this.#metadata(metadata), isFreshId, request_key })
  }

  moveGroup<K extends GroupKind>(kind: K, id: string, state: string, options: CallOptions = {}) {
    return moveGroup(this.#group(kind, id, options), state, false)
  }

  /** It goes there by way of what is in between; one that has ended stays as it is. */
  stopGroup<K extends GroupKind>(kind: K, id: string, state: string, options: CallOptions = {}) {
    return moveGroup(this.#group(kind, id, options), state, true)
  }

  sealGroup<K extends GroupKind>(kind: K, id: string, options: CallOptions = {}) {
    return sealGroup(this.#group(kind, id, options))
  }

  annotateGroup<K extends GroupKind>(
    kind: K,
    id: string,
    metadata: JsonObject,
    event: EventInput | null = null,
    options: CallOptions = {},
  ) {
    const told = event === null ? null : eventOf(event, this.#settings.redact)
    return annotateGroup(this.#group(kind, id, options), this.#metadata(metadata), told)
  }

  followGroup<K extends GroupKind>(kind: K, id: string, facts: GroupFacts, options: CallOptions = {}) {
    return followGroup(this.#group(kind, id, options), facts)
  }

  #group<K extends GroupKind>(kind: K, id: string, options: CallOptions): ToGroup<K> {
    return {
      kind,
      id: checkId(`${kind}_id`, id),
      tenant_id: this.#tenant(options),
      ...this.#by(options),
      if_match: options.if_match,
    }
  }

  sent(row: OutboxRecord, options: CallOptions = {}): RecordSent {
    return { type: 'recordSent', outbox_id: row.outbox_id, ...this.#to(row, options) }
  }

  publishFailed(row: OutboxRecord, error: StepError, options: CallOptions = {}): RecordPublishFailure {
    return {
      type: 'recordPublishFailure',
      outbox_id: row.outbox_id,
      tries: row.tries,
      error: parseStepError(error, this.#settings.redact),
      ...this.#to(row, options),
    }
  }

  ack(attempt: Attempt, options: CallOptions = {}): AckStep {
    return { type: 'ackStep', ...this.#fence(attempt, options) }
  }

  heartbeat(attempt: Attempt, options: CallOptions = {}): HeartbeatStep {
    return { type: 'heartbeatStep', ...this.#fence(attempt, options) }
  }

  result(attempt: Attempt, result: StepResult, options: CallOptions = {}): ReportResult {
    // Not `...this.#fence(attempt, options)`: this is the way of every attempt, and copying is felt.
    return {
      type: 'reportResult',
      result: parseResult(result, this.#settings.redact),
      tenant_id: this.#tenantOf(attempt, options),
      job_id: checkId('job_id', attempt.job_id),
      actor: actorOf(options, this.#settings),
      reason: reasonOf(options, this.#settings),
      if_match: options.if_match,
      step_id: checkId('step_id', attempt.step_id),
      attempt_no: checkCount('attempt_no', attempt.attempt_no),
      lease_id: checkId('lease_id', attempt.lease_id),
    }
  }

  release(attempt: Attempt, options: ReleaseOptions = {}): ReleaseStep {
    const { error, delay_ms } = options
    return {
      type: 'releaseStep',
      ...this.#fence(attempt, options),
      error: error === undefined ? undefined : parseStepError(error, this.#settings.redact),
      delay_ms: checkOptionalCount('delay_ms', delay_ms),
    }
  }

  cancel(job_id: string, options: CallOptions = {}): CancelJob {
    return { type: 'cancelJob', ...this.#to({ job_id }, options) }
  }

  expedite(job_id: string, options: ExpediteOptions = {}): ExpediteJob {
    const { priority, ignore } = checkedExpedite({
      priority: options.priority,
      ignore: options.ignore,
    })
    return {
      type: 'expediteJob',
      ...this.#to({ job_id }, options),
      priority: priority === undefined ? null : priorityOf(priority),
      ignore: ignore ?? [],
    }
  }

  again(job_id: string, options: AgainOptions = {}): RunAgain {
    const { new_job_id, from_step, idempotency_key } = options
    const idOr = <T>(field: string, value: string | undefined, other: T) =>
      value === undefined ? other : checkId(field, value)
    const to = this.#to({ job_id }, options)
    return {
      type: 'runAgain',
      ...to,
      new_job_id: idOr('new_job_id', new_job_id, this.#world.ids.next()),
      from_step: idOr('from_step', from_step, null),
      idempotency_key: idOr('idempotency_key', idempotency_key, null),
      inFlightLimit: inFlightLimitOf(this.#settings, to.tenant_id),
    }
  }

  steerQueue(
    queue: string,
    how: QueueLimits & { state?: QueueState },
    options: CallOptions = {},
  ): SteerQueue {
    const { concurrency, rate } = checkedQueueLimits({ concurrency: how.concurrency, rate: how.rate })
    return {
      type: 'steerQueue',
      tenant_id: EVERYBODY,
      queue: checkId('queue', queue),
      state: how.state,
      concurrency,
      rate,
      ...this.#by(options),
      if_match: options.if_match,
    }
  }

  putSchedule(schedule: Schedule, options: CallOptions = {}): PutSchedule {
    const { schedule_id, cron, timezone, request, overlap, catch_up } = checkedSchedule(schedule)
    checkTimes({ cron, timezone })
    const tenant_id = this.#tenant(options)
    // What would be refused every time is refused now.
    this.submit({ ...request, tenant_id } as Envelope, options)
    return {
      type: 'putSchedule',
      tenant_id,
      schedule_id,
      cron,
      timezone,
      request: keptRequest(request, this.#settings.redact),
      overlap,
      catch_up,
      calendar,
      ...this.#by(options),
      if_match: options.if_match,
    }
  }

  moveSchedule(schedule_id: string, state: ScheduleState, options: CallOptions = {}): MoveSchedule {
    return {
      type: 'moveSchedule',
      tenant_id: this.#tenant(options),
      schedule_id: checkId('schedule_id', schedule_id),
      state,
      calendar,
      ...this.#by(options),
      if_match: options.if_match,
    }
  }

  /** The job of a time of a schedule: whoever submits it, it is one. */
  fireSchedule(schedule: ScheduleRecord, at: string, options: CallOptions = {}): FireSchedule {
    const { tenant_id, schedule_id, request } = schedule
    const idempotency_key = `schedule ${schedule_id} ${at}`
    const submit = this.submit({ ...request, tenant_id, idempotency_key } as unknown as Envelope, options)
    return {
      type: 'fireSchedule',
      tenant_id,
      schedule_id,
      at,
      submit: { ...submit, schedule_id },
      calendar,
      ...this.#by(options),
    }
  }

  #tenant({ tenant_id }: CallOptions): string {
    return tenant_id === undefined ? this.#settings.tenant_id : checkId('tenant_id', tenant_id)
  }

  #fence(attempt: Attempt, options: CallOptions) {
    return {
      ...this.#to(attempt, options),
      step_id: checkId('step_id', attempt.step_id),
      attempt_no: checkCount('attempt_no', attempt.attempt_no),
      lease_id: checkId('lease_id', attempt.lease_id),
    }
  }

  #to(job: { readonly tenant_id?: string | undefined; readonly job_id: string }, options: CallOptions) {
    return {
      tenant_id: this.#tenantOf(job, options),
      job_id: checkId('job_id', job.job_id),
      ...this.#by(options),
      if_match: options.if_match,
    }
  }

  #tenantOf(job: { readonly tenant_id?: string | undefined }, options: CallOptions): string {
    return checkId('tenant_id', options.tenant_id ?? job.tenant_id ?? this.#settings.tenant_id)
  }

  #by(options: CallOptions) {
    return { actor: actorOf(options, this.#settings), reason: reasonOf(options, this.#settings) }
  }

  #metadata<T extends JsonObject | undefined>(metadata: T): JsonObject | Extract<T, undefined> {
    if (metadata === undefined) return metadata as Extract<T, undefined>
    return keptMetadata(metadata, this.#settings.redact)
  }
}
