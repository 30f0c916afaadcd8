// For tests: one whole record of each kind, and a whole snapshot of them in few words.
import { idOf, isOpenRow, type LedgerRecord } from '../../../core/aggregate.ts'
import type { DocumentRecord } from '../../../core/document/record.ts'
import type { RunRecord } from '../../../core/group/run-record.ts'
import type { WorkstreamRecord } from '../../../core/group/workstream-record.ts'
import type { JobRecord, OutboxRecord, StepRecord } from '../../../core/job/record.ts'
import { compareEntries, rowEntry, workOfJob } from '../../live/stored-work.ts'
import type { SnapshotFacts } from './snapshot-index.ts'
import { type Found, TABLE_OF, TABLES, type TableName } from './tables.ts'
import type { WorkLists } from './write-work.ts'

const AT = '2025-01-02T03:04:05.678Z'

const ROUTED = {
  resolved_mode: 'local',
  lane: 0,
  routing_key_used: 'acme',
  decision_source: 'default',
  decision_reason: 'default',
} as unknown as Pick<
  JobRecord,
  'resolved_mode' | 'lane' | 'routing_key_used' | 'decision_source' | 'decision_reason'
>

export function sampleDocument(part: Partial<DocumentRecord> = {}): DocumentRecord {
  return {
    kind: 'document',
    tenant_id: 'default',
    doc_id: 'doc:1',
    state: 'completed',
    updated_at: 1735787045.678,
    adapter: 'pubmed',
    metadata: {},
    retry_count: 0,
    max_retries: 3,
    error_type: null,
    error_message: null,
    etag: '17',
    ...part,
  }
}

export function sampleJob(part: Partial<JobRecord> = {}): JobRecord {
  return {
    kind: 'job',
    tenant_id: 'default',
    job_id: 'job-1',
    request_type: 'pdf',
    protocol_id: 'pdf.v1',
    doc_id: null,
    state: 'COMPLETED',
    state_since: AT,
    idempotency_key: null,
    idempotency_hash: 'abc',
    current_step_id: 'convert',
    current_step_index: 0,
    attempts_total: 1,
    priority: 2,
    depends_on: [],
    on_dependency_failure: 'fail',
    run_at: null,
    expires_at: null,
    again_of: null,
    schedule_id: null,
    unlimited: false,
    pipeline_name: null,
    doc_key: null,
    metadata: {},
    job_attempts: 0,
    report_by: null,
    escalation: null,
    run_id: null,
    workstream_id: null,
    tags: [],
    input_ref: 's3://in',
    output_ref: 's3://out',
    payload: { a: [1, null, 'x'] },
    schema_version: '1',
    callback_urls: null,
    correlation_id: null,
    traceparent: null,
    created_at: AT,
    updated_at: AT,
    completed_at: AT,
    error_code: null,
    error_message: null,
    waits_for: [],
    due_at: null,
    ready: null,
    ...ROUTED,
    etag: '17',
    ...part,
  } as JobRecord
}

export function sampleStep(part: Partial<StepRecord> = {}): StepRecord {
  return {
    kind: 'step',
    tenant_id: 'default',
    job_id: 'job-1',
    step_id: 'convert',
    step_index: 0,
    step_type: 'convert',
    service: 'gpu',
    delivery: 'pull',
    queue: 'gpu',
    limits: [],
    policy: {},
    gate: null,
    document: null,
    state: 'SUCCEEDED',
    state_since: AT,
    attempt_no: 1,
    released: 0,
    lease_id: null,
    lease_expires_at: null,
    holder: null,
    queue_slot: false,
    ack_deadline_at: null,
    retry_at: null,
    input_ref: 's3://in',
    workspace_ref: null,
    output_ref: 's3://out',
    payload: null,
    output: null,
    output_file: null,
    result_ref: null,
    ...ROUTED,
    last_error_code: null,
    last_error_message: null,
    created_at: AT,
    updated_at: AT,
    completed_at: AT,
    etag: '17',
    ...part,
  } as StepRecord
}

export function sampleOutbox(part: Partial<OutboxRecord> = {}): OutboxRecord {
  return {
    kind: 'outbox',
    tenant_id: 'default',
    outbox_id: 'out-1',
    job_id: 'job-1',
    step_id: 'convert',
    attempt_no: 1,
    lease_id: 'lease',
    state: 'SENT',
    state_since: AT,
    topic: 'gpu',
    partition: 3,
    payload: {},
    tries: 1,
    taken_until: null,
    next_try_at: null,
    last_error_code: null,
    last_error_message: null,
    created_at: AT,
    updated_at: AT,
    sent_at: AT,
    ...ROUTED,
    etag: '17',
    ...part,
  } as OutboxRecord
}

export function sampleRun(part: Partial<RunRecord> = {}): RunRecord {
  return {
    kind: 'run',
    tenant_id: 'default',
    run_id: 'run-1',
    state: 'completed',
    state_since: AT,
    sealed: false,
    metadata: {},
    created_at: AT,
    updated_at: AT,
    completed_at: AT,
    etag: '17',
    ...part,
  } as RunRecord
}

export function sampleWorkstream(part: Partial<WorkstreamRecord> = {}): WorkstreamRecord {
  return {
    kind: 'workstream',
    tenant_id: 'default',
    workstream_id: 'ws-1',
    run_id: 'run-1',
    state: 'completed',
    state_since: AT,
    sealed: false,
    metadata: {},
    created_at: AT,
    updated_at: AT,
    completed_at: AT,
    etag: '17',
    ...part,
  } as WorkstreamRecord
}

export function sampleFacts(part: Partial<SnapshotFacts> = {}): SnapshotFacts {
  return {
    created_at: AT,
    seq: 41,
    timestamp: 1735787045.678,
    document_count: 0,
    counts: {},
    signals: [],
    audit_records: 41,
    ...part,
  } as SnapshotFacts
}

/** What is given to a snapshot, by table. */
export class GivenRecords {
  readonly tables = Object.fromEntries(TABLES.map((table) => [table, []])) as unknown as {
    readonly [T in TableName]: Found<T>[]
  }

  /** What there is to do for the jobs given. */
  get work(): WorkLists {
    const works = this.tables.jobs.map(({ value }) => workOfJob(value))
    const rows = this.tables.outbox.map(({ value }) => value).filter(isOpenRow)
    return {
      due: works.flatMap(({ due }) => due).sort(compareEntries),
      ready: works.flatMap(({ ready }) => ready).sort(compareEntries),
      waiting: works.flatMap(({ waiting }) => waiting).sort(compareEntries),
      rows: rows.map(rowEntry).sort(compareEntries),
      slots: [],
    }
  }

  put(...records: readonly LedgerRecord[]): this {
    for (const value of records) {
      const found = { tenant_id: value.tenant_id, id: idOf(value), value }
      ;(this.tables[TABLE_OF[value.kind]] as Found<TableName>[]).push(found)
    }
    return this
  }

  claim(tenant_id: string, id: string, value: string): this {
    this.tables.claims.push({ tenant_id, id, value })
    return this
  }

  refusals(tenant_id: string, id: string, value: number): this {
    this.tables.refusals.push({ tenant_id, id, value })
    return this
  }
}
