// Write sets for tests of the driver: rows that look like real ones, without anybody deciding on them.

import type { NewChunk } from '../../src/store/tables/log-parts.ts'
import type { ChangedJob, ChangedRecord, NewJob, WriteSet } from '../../src/store/tables/tables.ts'
import { setOf as anySet, chunkOf, entry } from '../tables/sample-set.ts'

/** A write that nobody waits to hear of. */
export function setOf(parts: Partial<WriteSet>): WriteSet {
  return anySet({ at: 1000, isNews: false, ...parts })
}

export const PLACE = { queue: 'q', tenant_id: 'default', group: 'g', rank: 7 }

/** A job that was submitted by itself, under a limit that its name begins with. */
export function loneSet(id: string, more: Partial<WriteSet> = {}): WriteSet {
  const tenant_id = 'default'
  const slot = { tenant_id, key: `limit ${id.slice(0, 3)}`, add: 1, most: null, named: null, from: 0 }
  return setOf({
    newJobs: [newJob(id, { holds: ['x', 'y'], fixed: `${id} ü` })],
    ready: { adds: [{ ...PLACE, job_id: id }], drops: [] },
    claims: [{ tenant_id, key: `request ${id}`, owner: id }],
    slots: [slot],
    counts: [
      { tenant_id, kind: 'step', state: 'PENDING', n: 2 },
      { tenant_id, kind: 'job', state: 'QUEUED', n: 1 },
    ],
    chunk: chunk(id, 3),
    at: 3000,
    ...more,
  })
}

const BORN = '2026-01-02T03:04:05.000Z'

export function newJob(job_id: string, more: Partial<NewJob> = {}): NewJob {
  const tenant_id = more.tenant_id ?? 'default'
  const job = {
    tenant_id,
    job_id,
    request_type: 'INGEST',
    protocol_id: 'p1',
    state: 'QUEUED',
    state_since: BORN,
    idempotency_hash: 'h'.repeat(64),
    current_step_id: 's1',
    lane: 3,
    routing_key_used: job_id,
    input_ref: 'file:///in',
    output_ref: 'file:///out',
    payload: { text: 'x'.repeat(200) },
    created_at: BORN,
    updated_at: BORN,
  }
  const steps = ['s1', 's2'].map((step_id, step_index) => ({
    step_id,
    step_index,
    step_type: 'T',
    service: `svc-${step_id}`,
    delivery: 'local',
    queue: 'q1',
    state: 'PENDING',
  }))
  return {
    tenant_id,
    job_id,
    version: 1,
    holds: [],
    fixed: JSON.stringify({ job, steps }),
    moving: null,
    state: 'QUEUED',
    changed_at: Date.parse(BORN),
    is_ended: false,
    open_rows: 0,
    request_type: 'INGEST',
    protocol_id: 'p1',
    doc_id: null,
    run_id: null,
    workstream_id: null,
    isTold: true,
    ...more,
  }
}

export function changedJob(job_id: string, from: number, more: Partial<ChangedJob> = {}): ChangedJob {
  return {
    tenant_id: 'default',
    job_id,
    version: from + 1,
    from,
    holds: [],
    moving: JSON.stringify({ job: { state: 'IN_PROGRESS' } }),
    state: 'IN_PROGRESS',
    changed_at: Date.parse(BORN) + from,
    is_ended: false,
    open_rows: 0,
    isTold: true,
    ...more,
  }
}

export function document(id: string, from: number, more: Partial<ChangedRecord> = {}): ChangedRecord {
  return {
    kind: 'document',
    tenant_id: 'default',
    id,
    version: from + 1,
    from,
    body: JSON.stringify({ doc_id: id, state: more.state ?? 'pending', metadata: {} }),
    state: 'pending',
    changed_at: 1000 + from,
    adapter: 'a1',
    run_id: null,
    isTold: true,
    ...more,
  }
}

export function chunk(id: string, places = 1, more: Partial<NewChunk> = {}): NewChunk {
  const path = Array.from({ length: places + 1 }, (_, index) => (index === 0 ? null : `S${index}`))
  const told = entry(id, { tenant_id: 'default', path, timestamp: 1 })
  return {
    ...chunkOf(told),
    tags: ['tdefault', 'kjob'],
    sketch: '[]',
    ...more,
  }
}
