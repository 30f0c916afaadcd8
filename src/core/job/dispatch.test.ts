import { describe, expect, it } from 'vitest'
import { protocolOf, pulled, pushed } from '../../../test/fixtures/job-commands.ts'
import { KernelLedger } from '../../../test/fixtures/kernel-ledger.ts'
import { toIso } from '../time.ts'

const SECOND = 1000
const MINUTE = 60 * SECOND
const DOWN = { code: 'BUS_DOWN', message: 'connection refused' }

function ledgerWithPushed(more: Parameters<typeof pushed>[1] = {}): KernelLedger {
  const ledger = new KernelLedger()
  ledger.submit({ tenant_id: 't1', protocol: protocolOf(pushed('ocr', more), pushed('index')) })
  return ledger
}

const takeOutbox = { type: 'takeOutbox', tenant_id: 't1', job_id: 'j1', actor: 'd', reason: null } as const

describe('A11: publishing', () => {
  it('success: the row is SENT with its time, the step awaits the acknowledgement', () => {
    const ledger = ledgerWithPushed()
    const row = ledger.take()
    expect(row).toMatchObject({ state: 'PENDING', tries: 1, taken_until: toIso(ledger.now + 30 * SECOND) })
    ledger.now += SECOND
    expect(ledger.sent(row.outbox_id)).toMatchObject({
      status: 'accepted',
      cancel: false,
      lease_expires_at: null,
    })
    expect(ledger.rows()).toMatchObject([{ state: 'SENT', sent_at: toIso(ledger.now), taken_until: null }])
    expect(ledger.step()).toMatchObject({
      state: 'AWAITING_ACK',
      ack_deadline_at: toIso(ledger.now + 30 * SECOND),
    })
    expect(ledger.job()).toMatchObject({ state: 'DISPATCHING', ready: null })
    expect(ledger.records('outbox', row.outbox_id)).toMatchObject([
      { old_state: 'PENDING', new_state: 'SENT', duration_seconds: 1, job_id: 'j1', adapter: 'ocr-service' },
    ])
  })

  it('the row carries the directive to its lane', () => {
    const ledger = new KernelLedger()
    ledger.submit({ mode: 'BURST', doc_id: 'Doc-99', protocol: protocolOf(pushed('ocr')) })
    const { lane } = ledger.job()
    expect(ledger.rows()).toMatchObject([
      {
        topic: `global-bus-p${lane}`,
        partition: lane,
        lane,
        resolved_mode: 'BURST',
        routing_key_used: 't1doc-99',
        decision_source: 'REQUEST',
        decision_reason: 'request.mode',
        job_id: 'j1',
        step_id: 'ocr',
        attempt_no: 1,
        lease_id: ledger.step().lease_id,
      },
    ])
  })

  it('failure: the row stays PENDING and is tried again after 30 s, 2 m and 10 m', () => {
    const ledger = ledgerWithPushed()
    for (const wait of [30 * SECOND, 2 * MINUTE, 10 * MINUTE]) {
      const row = ledger.take()
      expect(ledger.unsent(row.outbox_id, DOWN).status).toBe('accepted')
      expect(ledger.rows()).toMatchObject([
        {
          state: 'PENDING',
          next_try_at: toIso(ledger.now + wait),
          taken_until: null,
          last_error_code: 'BUS_DOWN',
          last_error_message: 'connection refused',
        },
      ])
      expect(ledger.job()).toMatchObject({ due_at: toIso(ledger.now + wait), ready: null })
      ledger.pass(wait - 1)
      expect(ledger.refusalOf(takeOutbox)).toMatchObject({
        code: 'NOTHING_TO_PUBLISH',
        details: { waits_for: 'publish_backoff' },
      })
      ledger.pass(1)
      expect(ledger.job().ready).toMatchObject({ queue: 'push:ocr-service' })
    }
    expect(ledger.publish().tries).toBe(4)
    expect(ledger.step().state).toBe('AWAITING_ACK')
  })

  it('failure at the limit: row, step and job end, and say why', () => {
    const ledger = ledgerWithPushed()
    for (const wait of [30 * SECOND, 2 * MINUTE, 10 * MINUTE, 0]) {
      ledger.unsent(ledger.take().outbox_id, DOWN)
      ledger.pass(wait)
    }
    expect(ledger.states()).toEqual(['FAILED_FINAL', 'FAILED_FINAL', 'CANCELLED'])
    expect(ledger.rows()).toMatchObject([{ state: 'FAILED_FINAL', tries: 4, last_error_code: 'BUS_DOWN' }])
    expect(ledger.step()).toMatchObject({
      last_error_code: 'BUS_DOWN',
      last_error_message: 'connection refused',
    })
    expect(ledger.job()).toMatchObject({
      error_code: 'BUS_DOWN',
      error_message: 'connection refused',
      completed_at: toIso(ledger.now),
      due_at: null,
      ready: null,
    })
    expect(ledger.records('outbox', ledger.rows()[0]?.outbox_id ?? '').at(-1)).toMatchObject({
      new_state: 'FAILED_FINAL',
      error_type: 'BUS_DOWN',
      error_message: 'connection refused',
    })
  })

  it('every failure is in the history, with its error, though the row stays PENDING', () => {
    const ledger = ledgerWithPushed()
    const { outbox_id } = ledger.take()
    ledger.unsent(outbox_id, DOWN)
    ledger.pass(30 * SECOND)
    ledger.take()
    ledger.pass(30 * SECOND)
    expect(ledger.records('outbox', outbox_id)).toMatchObject([
      {
        event: 'noted',
        old_state: 'PENDING',
        new_state: 'PENDING',
        error_type: 'BUS_DOWN',
        error_message: 'connection refused',
        actor: 'dispatcher',
      },
      {
        event: 'noted',
        old_state: 'PENDING',
        new_state: 'PENDING',
        error_type: 'PUBLISH_TIMEOUT',
        actor: 'timer',
      },
    ])
  })

  it('the answer says where it left the job, and when it is tried again', () => {
    const ledger = ledgerWithPushed({ policy: { publish_tries: 2 } })
    const { outbox_id } = ledger.take()
    expect(ledger.unsent(outbox_id, DOWN)).toMatchObject({
      status: 'accepted',
      job_state: 'DISPATCHING',
      retry_at: toIso(ledger.now + 30 * SECOND),
    })
    ledger.pass(30 * SECOND)
    ledger.take()
    expect(ledger.unsent(outbox_id, DOWN)).toMatchObject({ job_state: 'FAILED_FINAL', retry_at: null })
    expect(ledger.sent(outbox_id)).toMatchObject({
      status: 'ignored',
      job_state: 'FAILED_FINAL',
      retry_at: null,
    })
  })

  it('one bad row does not hold up another', () => {
    const ledger = ledgerWithPushed()
    ledger.submit({ job_id: 'j2', protocol: protocolOf(pushed('ocr')) })
    ledger.unsent(ledger.take('j1').outbox_id, DOWN)
    ledger.publish('j2')
    expect(ledger.rows('j1')[0]?.state).toBe('PENDING')
    expect(ledger.rows('j2')[0]?.state).toBe('SENT')
  })

  it('a dispatcher that never says how it went counts as a failure', () => {
    const ledger = ledgerWithPushed()
    ledger.take()
    expect(ledger.refusalOf(takeOutbox).details.waits_for).toBe('publishing')
    ledger.pass(30 * SECOND)
    expect(ledger.rows()).toMatchObject([
      { state: 'PENDING', tries: 1, taken_until: null, last_error_code: 'PUBLISH_TIMEOUT' },
    ])
    expect(ledger.job().due_at).toBe(toIso(ledger.now + 30 * SECOND))
    ledger.pass(30 * SECOND)
    expect(ledger.take().tries).toBe(2)
  })

  it('dispatchers that all die end the job in the end', () => {
    const ledger = ledgerWithPushed()
    for (let tries = 1; tries <= 4; tries++) {
      expect(ledger.take().tries).toBe(tries)
      ledger.pass(15 * MINUTE)
    }
    expect(ledger.job()).toMatchObject({ state: 'FAILED_FINAL', error_code: 'PUBLISH_TIMEOUT' })
  })

  it('a late word that it was sent still counts while the row is open', () => {
    const ledger = ledgerWithPushed()
    const row = ledger.take()
    ledger.pass(31 * SECOND)
    expect(ledger.sent(row.outbox_id).status).toBe('accepted')
    expect(ledger.states()).toEqual(['DISPATCHING', 'AWAITING_ACK', 'PENDING'])
  })

  it('a word about a row that is closed, or of another attempt, is ignored and recorded', () => {
    const ledger = ledgerWithPushed()
    const { outbox_id } = ledger.publish()
    const before = ledger.contents()
    expect(ledger.sent(outbox_id)).toMatchObject({ status: 'ignored', cancel: false, lease_expires_at: null })
    expect(ledger.unsent(outbox_id, DOWN).status).toBe('ignored')
    expect(ledger.unsent('no-such-row', DOWN).status).toBe('ignored')
    expect(ledger.contents()).toEqual(before)
    expect(
      ledger.history.slice(-3).map(({ event, kind, metadata }) => [event, kind, metadata.command]),
    ).toEqual([
      ['ignored', 'job', 'recordSent'],
      ['ignored', 'job', 'recordPublishFailure'],
      ['ignored', 'job', 'recordPublishFailure'],
    ])
  })

  it('a failure of a try that is over does not count again, nor against the next one', () => {
    const ledger = ledgerWithPushed({ policy: { publish_tries: 2 } })
    const first = ledger.take()
    const late = () => {
      const { job_id, outbox_id, tries } = first
      const by = { tenant_id: first.tenant_id, actor: 'dispatcher', reason: null }
      return ledger.run({ type: 'recordPublishFailure', ...by, job_id, outbox_id, tries, error: DOWN })
    }
    ledger.pass(31 * SECOND)
    ledger.advance()
    const before = ledger.contents()
    expect(late()).toMatchObject({ status: 'ignored' })
    expect(ledger.contents()).toEqual(before)
    ledger.pass(60 * MINUTE)
    expect(ledger.take()).toMatchObject({ outbox_id: first.outbox_id, tries: 2 })
    expect(late()).toMatchObject({ status: 'ignored', job_state: 'DISPATCHING' })
    expect(ledger.sent(first.outbox_id).status).toBe('accepted')
    expect(ledger.states()).toEqual(['DISPATCHING', 'AWAITING_ACK', 'PENDING'])
  })

  it('its times and tries can be set for a step', () => {
    const policy = {
      publish_tries: 2,
      publish_timeout_ms: 5 * SECOND,
      publish_backoff: { kind: 'none', baseMs: 0, capMs: 0 },
      ack_timeout_ms: 7 * SECOND,
    } as const
    const ledger = ledgerWithPushed({ policy })
    const row = ledger.take()
    expect(row.taken_until).toBe(toIso(ledger.now + 5 * SECOND))
    ledger.unsent(row.outbox_id, DOWN)
    expect(ledger.publish().tries).toBe(2)
    expect(ledger.step().ack_deadline_at).toBe(toIso(ledger.now + 7 * SECOND))
  })

  it('there is nothing to publish for a step that workers claim', () => {
    const ledger = new KernelLedger()
    ledger.submit({ protocol: protocolOf(pulled('only')) })
    expect(ledger.refusalOf(takeOutbox)).toMatchObject({
      code: 'NOTHING_TO_PUBLISH',
      details: { state: 'QUEUED', waits_for: 'claim' },
    })
    expect(ledger.history).toHaveLength(1)
  })
})

describe('A21: the directive', () => {
  it('has these fields and no other', () => {
    const ledger = new KernelLedger()
    ledger.submit({
      doc_id: 'Doc-99',
      mode: 'BURST',
      callback_urls: { ack: 'http://a', result: 'http://r' },
      correlation_id: 'c-1',
      traceparent: '00-1',
      input_ref: { uri: 'in' },
      protocol: protocolOf(pushed('ocr')),
    })
    expect(ledger.rows()[0]?.payload).toEqual({
      jobId: 'j1',
      tenant_id: 't1',
      stepId: 'ocr',
      protocol_id: 'test.v1',
      step_type: 'OCR',
      attempt_no: 1,
      lease_id: ledger.step().lease_id,
      input_ref: { uri: 'in' },
      workspace_ref: null,
      output_ref: 'out',
      payload: { about: 'j1' },
      callback_urls: { ack: 'http://a', result: 'http://r' },
      mode: 'BURST',
      lane: ledger.job().lane,
      routing_key_used: 't1doc-99',
      correlation_id: 'c-1',
      traceparent: '00-1',
    })
  })
})
