// Records as columns, so that any tool for the service shows them: a column for each field. What is text, yes or no, or a
// number of 32 bits is kept as it is; everything else is JSON, and `_json` names the columns that are. What is null is not
// there. Columns that begin with an underscore are the engine's own.
import type { LedgerRecord, RecordOf } from '../../core/aggregate.ts'
import type { RecordKind } from '../../core/machines/all.ts'
import type { Columns, Value } from './service.ts'

type Fields<K extends RecordKind> = { readonly [F in Exclude<keyof RecordOf[K], 'kind' | 'etag'>]: string }

const ROUTED = {
  lane: 'lane',
  routing_key_used: 'routing_key_used',
  decision_source: 'decision_source',
  decision_reason: 'decision_reason',
} as const

/** Every field of every kind, and the column that it is in. */
const COLUMNS: { readonly [K in RecordKind]: Fields<K> } = {
  job: {
    tenant_id: 'tenant_id',
    job_id: 'jobId',
    request_type: 'request_type',
    protocol_id: 'protocol_id',
    resolved_mode: 'mode',
    doc_id: 'doc_id',
    state: 'state',
    state_since: 'state_since',
    idempotency_key: 'idempotency_key',
    idempotency_hash: 'idempotency_hash',
    current_step_id: 'current_step_id',
    current_step_index: 'current_step_index',
    attempts_total: 'attempts_total',
    created_at: 'created_at',
    updated_at: 'updated_at',
    completed_at: 'completed_at',
    error_code: 'error_code',
    error_message: 'error_message',
    correlation_id: 'correlation_id',
    traceparent: 'traceparent',
    ...ROUTED,
    priority: 'priority',
    depends_on: 'depends_on',
    on_dependency_failure: 'on_dependency_failure',
    run_at: 'run_at',
    expires_at: 'expires_at',
    again_of: 'again_of',
    schedule_id: 'schedule_id',
    unlimited: 'unlimited',
    pipeline_name: 'pipeline_name',
    doc_key: 'doc_key',
    metadata: 'metadata',
    job_attempts: 'job_attempts',
    report_by: 'report_by',
    escalation: 'escalation',
    run_id: 'run_id',
    workstream_id: 'workstream_id',
    tags: 'tags',
    input_ref: 'input_ref',
    output_ref: 'output_ref',
    payload: 'payload',
    schema_version: 'schema_version',
    callback_urls: 'callback_urls',
    waits_for: 'waits_for',
    due_at: 'due_at',
    ready: 'ready',
  },
  step: {
    tenant_id: 'tenant_id',
    job_id: 'jobId',
    step_id: 'step_id',
    step_index: 'step_index',
    step_type: 'step_type',
    service: 'service',
    state: 'state',
    state_since: 'state_since',
    attempt_no: 'attempt_no',
    lease_id: 'lease_id',
    lease_expires_at: 'lease_expires_at',
    input_ref: 'input_ref',
    workspace_ref: 'workspace_ref',
    output_ref: 'output_ref',
    payload: 'payload',
    resolved_mode: 'resolved_mode',
    ...ROUTED,
    last_error_code: 'last_error_code',
    last_error_message: 'last_error_message',
    created_at: 'created_at',
    updated_at: 'updated_at',
    completed_at: 'completed_at',
    delivery: 'delivery',
    queue: 'queue',
    limits: 'limits',
    policy: 'policy',
    gate: 'gate',
    document: 'document',
    released: 'released',
    holder: 'holder',
    queue_slot: 'queue_slot',
    ack_deadline_at: 'ack_deadline_at',
    retry_at: 'retry_at',
    output: 'output',
    output_file: 'output_file',
    result_ref: 'result_ref',
  },
  outbox: {
    tenant_id: 'tenant_id',
    outbox_id: 'outbox_id',
    job_id: 'jobId',
    step_id: 'stepId',
    attempt_no: 'attempt_no',
    lease_id: 'lease_id',
    state: 'state',
    state_since: 'state_since',
    topic: 'topic',
    partition: 'partition',
    payload: 'payload',
    resolved_mode: 'resolved_mode',
    ...ROUTED,
    created_at: 'created_at',
    sent_at: 'sent_at',
    updated_at: 'updated_at',
    tries: 'tries',
    taken_until: 'taken_until',
    next_try_at: 'next_try_at',
    last_error_code: 'last_error_code',
    last_error_message: 'last_error_message',
  },
  document: {
    tenant_id: 'tenant_id',
    doc_id: 'doc_id',
    state: 'state',
    updated_at: 'updated_at',
    adapter: 'adapter',
    metadata: 'metadata',
    retry_count: 'retry_count',
    max_retries: 'max_retries',
    error_type: 'error_type',
    error_message: 'error_message',
  },
  run: {
    tenant_id: 'tenant_id',
    run_id: 'run_id',
    state: 'state',
    state_since: 'state_since',
    sealed: 'sealed',
    metadata: 'metadata',
    created_at: 'created_at',
    updated_at: 'updated_at',
    completed_at: 'completed_at',
  },
  workstream: {
    tenant_id: 'tenant_id',
    workstream_id: 'workstream_id',
    run_id: 'run_id',
    state: 'state',
    state_since: 'state_since',
    sealed: 'sealed',
    metadata: 'metadata',
    created_at: 'created_at',
    updated_at: 'updated_at',
    completed_at: 'completed_at',
  },
  queue: {
    tenant_id: 'tenant_id',
    queue: 'queue',
    state: 'state',
    state_since: 'state_since',
    concurrency: 'concurrency',
    rate: 'rate',
    created_at: 'created_at',
    updated_at: 'updated_at',
  },
  schedule: {
    tenant_id: 'tenant_id',
    schedule_id: 'schedule_id',
    state: 'state',
    state_since: 'state_since',
    cron: 'cron',
    timezone: 'timezone',
    request: 'request',
    overlap: 'overlap',
    catch_up: 'catch_up',
    next_at: 'next_at',
    retry_at: 'retry_at',
    last_at: 'last_at',
    last_job_id: 'last_job_id',
    last_error_code: 'last_error_code',
    last_error_message: 'last_error_message',
    created_at: 'created_at',
    updated_at: 'updated_at',
  },
  token: {
    tenant_id: 'tenant_id',
    token_id: 'token_id',
    state: 'state',
    state_since: 'state_since',
    name: 'name',
    role: 'role',
    tenants: 'tenants',
    hash: 'hash',
    expires_at: 'expires_at',
    created_at: 'created_at',
    updated_at: 'updated_at',
  },
}

const JSON_COLUMNS = '_json'

/** The column that a field of a kind is in; undefined when the kind has no such field. */
export function columnOf(kind: RecordKind, field: string): string | undefined {
  return (COLUMNS[kind] as { readonly [field: string]: string | undefined })[field]
}

/** All of a record but its etag, which the service gives out. */
export function columnsOf(record: LedgerRecord): Columns {
  const columns: { [name: string]: Value } = {}
  const json: string[] = []
  const fields = record as unknown as { readonly [field: string]: unknown }
  for (const [field, column] of Object.entries(COLUMNS[record.kind])) {
    const value = fields[field]
    if (value === null || value === undefined) continue
    if (isPlain(value)) columns[column] = value
    else {
      columns[column] = JSON.stringify(value)
      json.push(column)
    }
  }
  if (json.length > 0) columns[JSON_COLUMNS] = json.join()
  return columns
}

export function recordFrom<K extends RecordKind>(kind: K, columns: Columns, etag: string): RecordOf[K] {
  const json = new Set(String(columns[JSON_COLUMNS] ?? '').split(','))
  const record: { [field: string]: unknown } = { kind }
  for (const [field, column] of Object.entries(COLUMNS[kind])) {
    const value = columns[column]
    record[field] = value === undefined ? null : json.has(column) ? JSON.parse(value as string) : value
  }
  record.etag = etag
  return record as unknown as RecordOf[K]
}

const INT32 = 2 ** 31

/** Text as every tool and every format can take it. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: those are what it is about
const ODD_TEXT = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/

function isPlain(value: unknown): value is Value {
  if (typeof value === 'string') return value.isWellFormed() && !ODD_TEXT.test(value)
  if (typeof value === 'boolean') return true
  return Number.isInteger(value) && Math.abs(value as number) < INT32 && !Object.is(value, -0)
}
