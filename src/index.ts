import './node-version.ts'

export { type CopyOptions, type CopyReport, copyLedger } from './copy-ledger.ts'
export type { JobAggregate } from './core/aggregate.ts'
export type { AuditEvent, AuditRecord } from './core/audit.ts'
export type { Backoff } from './core/backoff.ts'
export type { Command } from './core/command.ts'
export type { CountedKind } from './core/counts-as-of.ts'
export type { DocumentAsOf } from './core/document/as-of.ts'
export type { DocumentRecord } from './core/document/record.ts'
export {
  type DeprecatedState,
  getValidNextStates,
  isRetryableState,
  isTerminalState,
  LedgerState,
} from './core/document/states.ts'
export type { StuckDocument, StuckThreshold } from './core/document/stuck.ts'
export type { Duration } from './core/duration.ts'
export type { DurationRow, DurationsBy } from './core/durations.ts'
export type { RunRecord } from './core/group/run-record.ts'
export type { WorkstreamRecord } from './core/group/workstream-record.ts'
export { type CallbackUrls, callbackUrlsAt } from './core/job/callback-urls.ts'
export type {
  CallbackAnswer,
  ClaimAnswer,
  FailureClass,
  StageReport,
  StepError,
  StepResult,
  SubmitAnswer,
} from './core/job/commands.ts'
export type { EntryStatus, LedgerEntry } from './core/job/entry.ts'
export type { Delivery, Limit, Protocol, ProtocolStep, Rate, StepPolicy } from './core/job/protocol.ts'
export type {
  DependencyPolicy,
  JobRecord,
  OutboxRecord,
  Priority,
  Ref,
  StepRecord,
} from './core/job/record.ts'
export type { ToolStatus } from './core/job/tool-status.ts'
export type { Why, WhyStep } from './core/job/why.ts'
export type { Cause, CauseName, Does, Unblock } from './core/job/why-cause.ts'
export type { Json, JsonObject } from './core/json.ts'
export { machines, type RecordKind } from './core/machines/all.ts'
export type { JobState } from './core/machines/job.ts'
export type { OutboxState } from './core/machines/outbox.ts'
export type { QueueState } from './core/machines/queue.ts'
export type { RunState } from './core/machines/run.ts'
export type { ScheduleState } from './core/machines/schedule.ts'
export type { StepState } from './core/machines/step.ts'
export type { TokenState } from './core/machines/token.ts'
export type { WorkstreamState } from './core/machines/workstream.ts'
export type { QueueRecord } from './core/queue/record.ts'
export type { Radar, RadarBy, RadarCell, RadarFilter, RadarRow } from './core/radar/radar.ts'
export type { Mode } from './core/routing.ts'
export type { CatchUp, Overlap, ScheduleRecord } from './core/schedule/record.ts'
export { ROLES, type Role, type TokenRecord } from './core/token/record.ts'
export { Orchestrator } from './default-orchestrator.ts'
export { NoTables, TableMissing } from './errors/azure-errors.ts'
export {
  FileExists,
  FileNotFound,
  HistoryGone,
  LogChanged,
  NotALedger,
  NotEmpty,
  OutputLost,
} from './errors/file-errors.ts'
export {
  BadCursor,
  InvalidInput,
  LedgerClosed,
  UnknownAdapter,
  UnknownEngine,
  UnknownRequestType,
  Unsupported,
} from './errors/input-errors.ts'
export {
  DiskFull,
  LedgerDamaged,
  LedgerLocked,
  LedgerReadOnly,
  UnknownFormat,
  WriterFailed,
} from './errors/journal-errors.ts'
export {
  BadMessage,
  BadSignature,
  BodyTooLarge,
  MethodNotAllowed,
  MissingPackage,
  StaleTimestamp,
  UnknownPath,
} from './errors/message-errors.ts'
export {
  DatabaseFailed,
  DatabaseMissing,
  LoginRefused,
  NotPermitted,
  OutcomeUnknown,
  SchemaTooNew,
  SchemaTooOld,
  ServerUnavailable,
} from './errors/postgres-errors.ts'
export {
  Conflict,
  CountChanged,
  InvalidRequest,
  InvalidStateTransition,
  JobFailed,
  LeaseMismatch,
  LimitReached,
  NotFound,
  StaleEtag,
  TooManyWaiting,
} from './errors/refusal-errors.ts'
export { ChangeTooLarge, RecordTooLarge } from './errors/size-errors.ts'
export { LedgerBusy } from './errors/sqlite-errors.ts'
export { ERROR_TABLE, type ErrorCode } from './errors/table.ts'
export { InvalidToolJob, PathEscapes, ToolNotFound, ToolNotStarted } from './errors/tool-errors.ts'
export { InvalidTopology } from './errors/topology-errors.ts'
export { WaybillError } from './errors/waybill-error.ts'
export type { PromisedJob, TurnedDown } from './ledger/admission.ts'
export type { AuditCount, AuditField, AuditLog } from './ledger/audit-log.ts'
export type { ClaimOptions, DispatchOptions, Work } from './ledger/claim.ts'
export type {
  Attempt,
  CreateOptions,
  ReleaseOptions,
  SubmitToOptions,
  UpdateOptions,
} from './ledger/command-options.ts'
export type { Commands } from './ledger/commands.ts'
export type { DocumentFilter, Documents, ListDocuments } from './ledger/documents.ts'
export type { EventInput } from './ledger/group-commands.ts'
export type { WaitOptions } from './ledger/job-ends.ts'
export type { Jobs, ListJobs, ListSteps } from './ledger/jobs.ts'
export type { LedgerStats } from './ledger/ledger.ts'
export type {
  AgainManyOptions,
  FailedOne,
  JobFilter,
  ManyOptions,
  ManyReport,
  MatchCount,
} from './ledger/many-jobs.ts'
export type { NewToken } from './ledger/new-token.ts'
export type {
  EndedRuns,
  HeldJob,
  Holder,
  Holders,
  OutboxLag,
  Overview,
  WaitingJob,
  WaitingJobs,
} from './ledger/overview.ts'
export { externalPipeline, type PipelineLike, type PipelineRequest } from './ledger/pipeline-request.ts'
export type { Counted, QueueLoad, QueueLoads } from './ledger/queue-load.ts'
export type { Queues } from './ledger/queues.ts'
export type { RadarQuery } from './ledger/radar.ts'
export type { Envelope } from './ledger/request.ts'
export type { ListRuns, ListWorkstreams, Runs, Workstreams } from './ledger/runs.ts'
export type { ListSchedules, Schedules } from './ledger/schedules.ts'
export type { CallOptions } from './ledger/settings.ts'
export { LedgerStateManager, type RunPreparation, type StageOutcome } from './ledger/state-manager.ts'
export type { AgainOptions, ExpediteOptions, QueueLimits, Schedule } from './ledger/steering.ts'
export type { StuckQuery } from './ledger/stuck.ts'
export type { SubmittedJob } from './ledger/submitted-job.ts'
export type { Tenant, TenantList } from './ledger/tenants.ts'
export type { MintedToken, TokenInfo, Tokens } from './ledger/tokens.ts'
export type { BulkOptions, BulkReport, DocumentUpdate, RefusedUpdate } from './ledger/update-many.ts'
export {
  type LegacyProblem,
  type MigrateLegacyOptions,
  type MigrateOptions,
  type MigrationProgress,
  type MigrationReport,
  migrateLegacy,
  type RollbackReport,
  rollbackLegacy,
  type ValidateOptions,
  validateLegacy,
} from './legacy-logs.ts'
export { type LedgerOptions, openLedger } from './open-ledger.ts'
export { JobStateStore } from './orchestrator/job-state-store.ts'
export type {
  FinishedJob,
  OrchestratorOptions,
  QueueJobOptions,
  RunJobOptions,
} from './orchestrator/orchestrator.ts'
export { type Pipeline, pipeline, pipelineFrom, type StageOptions } from './orchestrator/pipeline/pipeline.ts'
export { parseTopology } from './orchestrator/pipeline/topology-file.ts'
export type { BackoffSource, ConditionSource } from './orchestrator/pipeline/topology-source.ts'
export type { ErrorReport } from './orchestrator/process/error-report.ts'
export type { FileChange, TestsAfter } from './orchestrator/provenance.ts'
export type {
  EventPayload,
  JobAttempt,
  JobEvent,
  JobResult,
  JobView,
  RunView,
  StateInterface,
  WorkstreamView,
} from './orchestrator/state-interface.ts'
export type {
  Adapter,
  FinishedCommand,
  JobPlace,
  PreparedCommand,
  TakesOver,
} from './orchestrator/tools/adapter.ts'
export { AdapterRegistry } from './orchestrator/tools/adapter-registry.ts'
export type { ToolJob } from './orchestrator/tools/tool-job.ts'
export { parseToolJob } from './orchestrator/tools/tool-job.ts'
export { type RepairReport, repairLedger } from './repair-ledger.ts'
export {
  type CallbackJobs,
  type CallbackOptions,
  callbackHandler,
} from './runtime/callbacks/callback-handler.ts'
export {
  type CallbackServer,
  type ServeCallbacksOptions,
  serveCallbacks,
} from './runtime/callbacks/serve-callbacks.ts'
export type { Dispatcher, DispatcherOptions, Publishers } from './runtime/dispatcher.ts'
export type { Handler, Handlers, StepWork } from './runtime/handler.ts'
export type { IdleOptions, LiveLedger as Ledger } from './runtime/live-ledger.ts'
export { type HttpPublisherOptions, httpPublisher } from './runtime/publishers/http.ts'
export { type NatsPublisherOptions, type NewStream, natsPublisher } from './runtime/publishers/nats.ts'
export { type Message, messageOf, type Publisher } from './runtime/publishers/publisher.ts'
export type { Service } from './runtime/service.ts'
export type { Timekeeper } from './runtime/timekeeper.ts'
export type { Worker, WorkerOptions } from './runtime/worker.ts'
export type { AzureTablesOptions } from './store/azure-tables/azure-tables-options.ts'
export type { Capabilities } from './store/capabilities.ts'
export type { JournalOptions } from './store/journal/journal-options.ts'
export type { PostgresOptions } from './store/postgres/postgres-options.ts'
export type { OnProgress, Progress, ProgressOptions } from './store/progress.ts'
export type { AuditQuery, Cursor, DurationsQuery, Page } from './store/query.ts'
export type { SqliteOptions } from './store/sqlite/open-sqlite.ts'
export {
  type Finding,
  type MaintenanceReport,
  type NextDueOptions,
  type SnapshotReport,
  START,
  type StorageStats,
  type StoreStats,
} from './store/store.ts'
export { CircuitOpen } from './wire/circuit-open.ts'
export { DeliveryFailed } from './wire/delivery-failed.ts'
export type { Listening, ListenOptions, WebHandler } from './wire/listen.ts'
export type { NatsConnectionLike, NatsOptions } from './wire/nats-options.ts'
export { NonRetryable, type NonRetryableOptions } from './wire/non-retryable.ts'
export { Output } from './wire/output.ts'
export type { Secrets } from './wire/secrets.ts'
export { StepFailure, type StepFailureOptions } from './wire/step-failure.ts'
export { type SignedMessage, verifySignature } from './wire/verify-signature.ts'
export { WorkAborted } from './wire/work-aborted.ts'
export type { Logger } from './world/logger.ts'
