// Rows for tests: as short as they may be.
import type { AuditEntry } from '../../src/core/audit.ts'
import type { StepState } from '../../src/core/machines/step.ts'
import { toIso } from '../../src/core/time.ts'
import { encodeChunk } from '../../src/store/tables/entry-codec.ts'
import type { NewChunk } from '../../src/store/tables/log-parts.ts'
import type {
  ChangedJob,
  ChangedRecord,
  Find,
  NewJob,
  Wanted,
  WriteSet,
} from '../../src/store/tables/tables.ts'

const NOTHING = { adds: [], drops: [] }

export const T0 = Date.parse('2025-01-02T03:04:05.678Z')

export function setOf(parts: Partial<WriteSet>): WriteSet {
  return {
    runs: [],
    strides: [],
    newJobs: [],
    jobs: [],
    records: [],
    rows: [],
    ready: NOTHING,
    due: NOTHING,
    waits: NOTHING,
    claims: [],
    slots: [],
    refusals: [],
    signals: [],
    delivered: [],
    verify: [],
    counts: [],
    chunk: null,
    inbox: [],
    at: T0,
    isNews: true,
    ...parts,
  }
}

export function wantedOf(parts: Partial<Wanted>): Wanted {
  return { jobs: [], records: [], claims: [], slots: [], refusals: [], rows: [], ...parts }
}

export function findOf(parts: Partial<Find> = {}): Find {
  return {
    tenant_id: undefined,
    where: undefined,
    changedFrom: undefined,
    changedBefore: undefined,
    order: 'id',
    isDescending: false,
    after: null,
    limit: 100,
    ...parts,
  }
}

export interface SampleStep {
  readonly step_id: string
  readonly state?: StepState
  readonly at?: number
}

export function newJob(
  job_id: string,
  parts: Partial<NewJob> = {},
  steps: readonly SampleStep[] = [{ step_id: 'one' }],
): NewJob {
  const { tenant_id = 't', state = 'QUEUED', changed_at = T0, doc_id = null } = parts
  const at = toIso(changed_at)
  const job = { tenant_id, job_id, state, doc_id, state_since: at, created_at: at, updated_at: at }
  const fixed = steps.map(({ step_id, state: step = 'PENDING', at: moved }, step_index) => ({
    step_id,
    step_index,
    step_type: 'S',
    service: `service-${step_id}`,
    queue: 'default',
    state: step,
    ...(moved === undefined ? {} : { updated_at: toIso(moved) }),
  }))
  return {
    tenant_id,
    job_id,
    version: 1,
    holds: [],
    fixed: JSON.stringify({ job, steps: fixed }),
    moving: null,
    state,
    changed_at,
    is_ended: false,
    open_rows: 0,
    request_type: 'R',
    protocol_id: 'p',
    doc_id,
    run_id: null,
    workstream_id: null,
    isTold: true,
    ...parts,
  }
}

export function changedJob(job_id: string, from: number, parts: Partial<ChangedJob> = {}): ChangedJob {
  return {
    tenant_id: 't',
    job_id,
    version: from + 1,
    from,
    holds: [],
    moving: '{}',
    state: 'IN_PROGRESS',
    changed_at: T0 + from,
    is_ended: false,
    open_rows: 0,
    isTold: true,
    ...parts,
  }
}

export function document(id: string, from: number, parts: Partial<ChangedRecord> = {}): ChangedRecord {
  const { state = 'pending', changed_at = T0, adapter = 'a' } = parts
  const body = { kind: 'document', tenant_id: 't', doc_id: id, state, updated_at: changed_at / 1000, adapter }
  return {
    kind: 'document',
    tenant_id: 't',
    id,
    version: from + 1,
    from,
    body: JSON.stringify(body),
    state,
    changed_at,
    adapter,
    run_id: null,
    isTold: true,
    ...parts,
  }
}

export function entry(id: string, parts: Partial<AuditEntry> = {}): AuditEntry {
  return {
    event: 'moved',
    tenant_id: 't',
    kind: 'job',
    id,
    doc_id: null,
    job_id: id,
    path: [null, 'QUEUED'],
    timestamp: T0 / 1000,
    adapter: 'svc',
    error_type: null,
    error_message: null,
    traceback: null,
    retry_count: 0,
    max_retries: 0,
    duration_seconds: null,
    metadata: {},
    actor: 'me',
    reason: null,
    ...parts,
  }
}

export function chunkOf(...entries: readonly AuditEntry[]): NewChunk {
  return encodeChunk(entries)
}
