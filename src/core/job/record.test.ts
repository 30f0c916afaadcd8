import { describe, expect, it } from 'vitest'
import { protocolOf, pulled, pushed } from '../../../test/fixtures/job-commands.ts'
import { KernelLedger } from '../../../test/fixtures/kernel-ledger.ts'

// Every field, because every field is on disk and on the wire: one that is missing there reads as undefined, not null.

const AT = '2025-01-02T03:04:05.000Z'

const routing = {
  resolved_mode: 'DEFAULT',
  lane: 7,
  routing_key_used: 't1',
  decision_source: 'GLOBAL_CONFIG',
  decision_reason: 'default',
}

describe('records as they are made', () => {
  it('a job', () => {
    const ledger = new KernelLedger()
    ledger.submit({ protocol: protocolOf(pulled('ocr')) })
    expect(ledger.job()).toStrictEqual({
      kind: 'job',
      tenant_id: 't1',
      job_id: 'j1',
      request_type: 'TEST',
      protocol_id: 'test.v1',
      doc_id: null,
      state: 'QUEUED',
      state_since: AT,
      idempotency_key: null,
      idempotency_hash: 'hash-of-j1',
      current_step_id: 'ocr',
      current_step_index: 0,
      attempts_total: 0,
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
      input_ref: 'in',
      output_ref: 'out',
      payload: { about: 'j1' },
      schema_version: 'v1',
      callback_urls: null,
      correlation_id: null,
      traceparent: null,
      ...routing,
      created_at: AT,
      updated_at: AT,
      completed_at: null,
      error_code: null,
      error_message: null,
      waits_for: [],
      due_at: null,
      ready: { queue: 'ocr-service', group: '', rank: Date.parse(AT) + 2 * 15 * 60_000, limits: [] },
      etag: 'etag-1',
    })
  })

  it('a step, before and in its first attempt', () => {
    const ledger = new KernelLedger()
    const policy = { max_attempts: 5 }
    ledger.submit({ protocol: protocolOf(pushed('ocr'), pushed('index', { policy })) })
    const untouched = {
      kind: 'step',
      tenant_id: 't1',
      job_id: 'j1',
      step_id: 'index',
      step_index: 1,
      step_type: 'INDEX',
      service: 'index-service',
      delivery: 'push',
      queue: 'index-service',
      limits: [],
      policy,
      gate: null,
      document: null,
      state: 'PENDING',
      state_since: AT,
      attempt_no: 0,
      released: 0,
      lease_id: null,
      lease_expires_at: null,
      holder: null,
      queue_slot: false,
      ack_deadline_at: null,
      retry_at: null,
      input_ref: 'in',
      workspace_ref: null,
      output_ref: 'out',
      payload: null,
      output: null,
      output_file: null,
      result_ref: null,
      resolved_mode: null,
      lane: null,
      routing_key_used: null,
      decision_source: null,
      decision_reason: null,
      last_error_code: null,
      last_error_message: null,
      created_at: AT,
      updated_at: AT,
      completed_at: null,
      etag: 'etag-1',
    }
    expect(ledger.step(1)).toStrictEqual(untouched)
    expect(ledger.step(0)).toStrictEqual({
      ...untouched,
      ...routing,
      step_id: 'ocr',
      step_index: 0,
      step_type: 'OCR',
      service: 'ocr-service',
      queue: 'ocr-service',
      policy: {},
      state: 'DISPATCHING',
      attempt_no: 1,
      lease_id: 'id-1',
      holder: 'ocr-service',
    })
  })

  it('an outbox row', () => {
    const ledger = new KernelLedger()
    ledger.submit({ protocol: protocolOf(pushed('ocr')) })
    const { payload, ...row } = ledger.rows()[0] ?? {}
    expect(payload).toMatchObject({ jobId: 'j1', stepId: 'ocr' })
    expect(row).toStrictEqual({
      kind: 'outbox',
      tenant_id: 't1',
      outbox_id: 'id-2',
      job_id: 'j1',
      step_id: 'ocr',
      attempt_no: 1,
      lease_id: 'id-1',
      state: 'PENDING',
      state_since: AT,
      topic: 'global-bus-p7',
      partition: 7,
      ...routing,
      tries: 0,
      taken_until: null,
      next_try_at: null,
      last_error_code: null,
      last_error_message: null,
      created_at: AT,
      updated_at: AT,
      sent_at: null,
      etag: 'etag-1',
    })
  })

  it('what changes says when it last changed, and what ends says when it ended', () => {
    const ledger = new KernelLedger()
    ledger.submit({ protocol: protocolOf(pushed('ocr')) })
    ledger.now += 1000
    ledger.publish()
    const sent = '2025-01-02T03:04:06.000Z'
    expect(ledger.rows()[0]).toMatchObject({
      created_at: AT,
      updated_at: sent,
      state_since: sent,
      sent_at: sent,
    })
    expect(ledger.step()).toMatchObject({
      created_at: AT,
      updated_at: sent,
      state_since: sent,
      completed_at: null,
    })
    expect(ledger.job()).toMatchObject({
      created_at: AT,
      updated_at: sent,
      state_since: AT,
      completed_at: null,
    })
    ledger.now += 1000
    ledger.ack()
    ledger.succeed()
    const ended = '2025-01-02T03:04:07.000Z'
    for (const record of [ledger.job(), ledger.step()]) {
      expect(record).toMatchObject({
        created_at: AT,
        updated_at: ended,
        state_since: ended,
        completed_at: ended,
      })
    }
  })
})
