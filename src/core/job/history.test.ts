import { describe, expect, it } from 'vitest'
import { protocolOf, pulled, pushed } from '../../../test/fixtures/job-commands.ts'
import { KernelLedger } from '../../../test/fixtures/kernel-ledger.ts'
import { isEdge, type Machine } from '../machine.ts'
import { machines, type RecordKind } from '../machines/all.ts'

/** A job with a bit of everything: a lost publish, a missing ACK, a failure, a late ACK, a success, a cancel. */
function eventful(): KernelLedger {
  const ledger = new KernelLedger()
  ledger.submit({ doc_id: 'doc:1', protocol: protocolOf(pushed('ocr'), pushed('index'), pushed('done')) })
  ledger.take()
  ledger.pass(60_000)
  ledger.publish()
  ledger.pass(90_000)
  ledger.publish()
  ledger.ack()
  ledger.fail('RETRYABLE')
  ledger.pass(300_000)
  ledger.now += 7
  ledger.ack()
  ledger.ack()
  ledger.succeed()
  ledger.publish()
  ledger.ack()
  ledger.cancel()
  ledger.fail('RETRYABLE')
  return ledger
}

describe('the history of a job', () => {
  it('has every state of every record passed through, each by a declared edge, up to the state it is in', () => {
    const ledger = eventful()
    const ids = new Set(ledger.history.map(({ kind, id }) => `${kind} ${id}`))
    expect(ids.size).toBe(1 + 3 + 4)
    for (const record of ledger.contents()) {
      const kind: RecordKind = record.kind
      const id =
        record.kind === 'job'
          ? 'j1'
          : record.kind === 'step'
            ? `j1/${record.step_id}`
            : record.kind === 'outbox' && record.outbox_id
      const moves = ledger.records(kind, String(id)).filter(({ event }) => event === 'moved')
      let state: string | null = kind === 'job' ? null : machines[kind].initial
      for (const { old_state, new_state } of moves) {
        expect(old_state).toBe(state)
        if (old_state !== null) {
          expect(isEdge(machines[kind] as Machine<string>, old_state, new_state)).toBe(true)
        }
        state = new_state
      }
      expect(state).toBe(record.state)
    }
  })

  it('A32: of a job that is new: every field', () => {
    const ledger = new KernelLedger()
    ledger.submit({ reason: 'nightly', protocol: protocolOf(pulled('ocr')) })
    expect(ledger.history).toStrictEqual([
      {
        event: 'moved',
        tenant_id: 't1',
        kind: 'job',
        id: 'j1',
        doc_id: null,
        job_id: 'j1',
        path: [null, 'QUEUED'],
        timestamp: ledger.now / 1000,
        adapter: 'ocr-service',
        error_type: null,
        error_message: null,
        traceback: null,
        retry_count: 0,
        max_retries: 2,
        duration_seconds: null,
        metadata: { step_id: 'ocr', attempt_no: 0, lease_id: null },
        actor: 'submitter',
        reason: 'nightly',
      },
    ])
  })

  it('A32: of an attempt: which one, how long, whose, and what the service is', () => {
    const ledger = eventful()
    const failure = ledger.records('step', 'j1/ocr').find(({ error_type }) => error_type === 'BROKEN')
    expect(failure).toMatchObject({
      kind: 'step',
      tenant_id: 't1',
      job_id: 'j1',
      doc_id: 'doc:1',
      old_state: 'IN_PROGRESS',
      new_state: 'FAILED_RETRY',
      error_message: 'it broke',
      traceback: null,
      retry_count: 1,
      max_retries: 2,
      duration_seconds: 0,
      adapter: 'ocr-service',
      actor: 'worker-1',
      reason: null,
      metadata: { step_id: 'ocr', attempt_no: 2 },
    })
  })

  it('keeps who asked and why', () => {
    const ledger = new KernelLedger()
    ledger.submit()
    ledger.run({ type: 'cancelJob', tenant_id: 't1', job_id: 'j1', actor: 'ann', reason: 'wrong file' })
    expect(ledger.last()).toMatchObject({ event: 'moved', actor: 'ann', reason: 'wrong file' })
    expect(ledger.records('step', 'j1/first')).toMatchObject([{ actor: 'ann', reason: 'wrong file' }])
  })
})
