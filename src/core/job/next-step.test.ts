import { describe, expect, it } from 'vitest'
import { protocolOf, pulled, pushed } from '../../../test/fixtures/job-commands.ts'
import { KernelLedger } from '../../../test/fixtures/kernel-ledger.ts'
import { toIso } from '../time.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

describe('A13: a step succeeded', () => {
  it('the next one is dispatched with the same lane and callback URLs', () => {
    const ledger = new KernelLedger()
    const callback_urls = { result: 'http://r' }
    ledger.submit({
      mode: 'BURST',
      doc_id: 'Doc-99',
      callback_urls,
      protocol: protocolOf(pushed('ocr'), pushed('index')),
    })
    ledger.publish()
    ledger.ack()
    ledger.now += 1000
    ledger.succeed()
    expect(ledger.states()).toEqual(['IN_PROGRESS', 'SUCCEEDED', 'DISPATCHING'])
    expect(ledger.job()).toMatchObject({
      current_step_id: 'index',
      current_step_index: 1,
      attempts_total: 2,
      completed_at: null,
    })
    const [first, second] = ledger.rows()
    expect(second).toMatchObject({ state: 'PENDING', step_id: 'index', attempt_no: 1, lane: first?.lane })
    expect(second?.topic).toBe(first?.topic)
    expect(second?.payload).toMatchObject({
      stepId: 'index',
      callback_urls,
      lane: first?.lane,
      mode: 'BURST',
    })
    expect(ledger.step(1).lease_id).not.toBe(ledger.step(0).lease_id)
    expect(ledger.records('job', 'j1').at(-1)).toMatchObject({
      old_state: 'IN_PROGRESS',
      new_state: 'IN_PROGRESS',
      duration_seconds: 1,
    })
  })

  it('on the last one the job succeeded', () => {
    const ledger = new KernelLedger()
    ledger.submit()
    ledger.claim()
    ledger.succeed()
    ledger.claim()
    ledger.now += 1000
    ledger.succeed()
    expect(ledger.states()).toEqual(['SUCCEEDED', 'SUCCEEDED', 'SUCCEEDED'])
    expect(ledger.job()).toMatchObject({
      completed_at: toIso(ledger.now),
      error_code: null,
      due_at: null,
      ready: null,
    })
    expect(ledger.step(1)).toMatchObject({ completed_at: toIso(ledger.now), lease_expires_at: null })
    expect(ledger.records('job', 'j1').map(({ new_state }) => new_state)).toEqual([
      'QUEUED',
      'DISPATCHING',
      'IN_PROGRESS',
      'IN_PROGRESS',
      'SUCCEEDED',
    ])
  })

  it('only one step is ever in progress', () => {
    const ledger = new KernelLedger()
    ledger.submit({ protocol: protocolOf(pulled('a'), pushed('b'), pulled('c')) })
    const busy = () => ledger.steps().filter(({ state }) => !['PENDING', 'SUCCEEDED'].includes(state)).length
    for (const begin of [() => ledger.claim(), () => ledger.publish(), () => ledger.claim()]) {
      begin()
      expect(busy()).toBe(1)
      ledger.succeed()
    }
    expect(ledger.job().state).toBe('SUCCEEDED')
  })

  it('its output is handed to the next', () => {
    const ledger = new KernelLedger()
    ledger.submit()
    expect(ledger.claim().previous).toBeNull()
    ledger.report({ status: 'SUCCEEDED', output: { chunks: 5 } })
    expect(ledger.step(0).output).toEqual({ chunks: 5 })
    expect(ledger.claim().previous).toEqual({ chunks: 5 })
  })

  it('where it put its output is where the next finds its input', () => {
    const ledger = new KernelLedger()
    ledger.submit()
    ledger.claim()
    ledger.report({ status: 'SUCCEEDED', output_ref: { uri: 's3://chunks' } })
    expect(ledger.step(0)).toMatchObject({ output_ref: 'out', result_ref: { uri: 's3://chunks' } })
    expect(ledger.claim().step.input_ref).toEqual({ uri: 's3://chunks' })
    ledger.report({ status: 'SUCCEEDED', output_ref: 's3://vectors' })
    expect(ledger.step(1).result_ref).toBe('s3://vectors')
    expect(ledger.job()).toMatchObject({ state: 'SUCCEEDED', output_ref: 'out' })
  })

  it('that says nothing of its output leaves refs as the request has them', () => {
    const ledger = new KernelLedger()
    ledger.submit()
    ledger.claim()
    ledger.succeed()
    expect(ledger.step(0)).toMatchObject({ output: null, output_ref: 'out' })
    expect(ledger.step(1).input_ref).toBe('in')
  })
})

describe('claiming', () => {
  const claimStep = { type: 'claimStep', tenant_id: 't1', job_id: 'j1', actor: 'w', reason: null } as const

  it('is dispatch and ACK in one, makes no outbox row, and answers with what is written', () => {
    const ledger = new KernelLedger()
    ledger.submit()
    const { job, step } = ledger.claim()
    expect(ledger.states()).toEqual(['IN_PROGRESS', 'IN_PROGRESS', 'PENDING'])
    expect(step).toBe(ledger.step())
    expect(job).toBe(ledger.job())
    expect(step).toMatchObject({
      attempt_no: 1,
      holder: 'worker-1',
      lease_expires_at: toIso(ledger.now + 15 * MINUTE),
      lane: null,
    })
    expect(job).toMatchObject({ attempts_total: 1, ready: null, due_at: step.lease_expires_at })
    expect(ledger.rows()).toEqual([])
    expect(ledger.records('step', 'j1/first').map(({ new_state }) => new_state)).toEqual([
      'DISPATCHING',
      'AWAITING_ACK',
      'IN_PROGRESS',
    ])
  })

  it('answers with what is written for a later step, and a later attempt, too', () => {
    const ledger = new KernelLedger()
    ledger.submit()
    ledger.claim()
    ledger.succeed()
    const claimed = ledger.claim()
    const { tenant_id, job_id, step_id, attempt_no, lease_id, queue, delivery, policy } = ledger.step(1)
    const { payload: input } = ledger.job()
    expect(claimed).toEqual({
      job: ledger.job(),
      step: ledger.step(1),
      previous: null,
      previous_file: null,
      task: { tenant_id, job_id, step_id, attempt_no, lease_id, queue, delivery, policy, input },
    })
    ledger.fail('RETRYABLE')
    ledger.pass(MINUTE)
    const { job, step } = ledger.claim()
    expect(job).toBe(ledger.job())
    expect(job).toMatchObject({ ready: null, due_at: step.lease_expires_at, attempts_total: 3 })
  })

  it('work that somebody has is refused, and leaves no trace', () => {
    const ledger = new KernelLedger()
    ledger.submit()
    ledger.claim()
    const history = ledger.history.length
    expect(ledger.refusalOf(claimStep)).toMatchObject({
      code: 'NOT_CLAIMABLE',
      details: { job_id: 'j1', state: 'IN_PROGRESS', waits_for: 'lease' },
    })
    expect(ledger.history).toHaveLength(history)
  })

  it('a pushed step is not claimed, even while it waits for a slot', () => {
    const ledger = new KernelLedger()
    ledger.submit({ protocol: protocolOf(pushed('ocr', { limits: [{ key: 'gpu', max: 1 }] })) })
    expect(ledger.refusalOf(claimStep)).toMatchObject({
      code: 'NOT_CLAIMABLE',
      details: { waits_for: 'claim' },
    })
  })

  it('an external step is claimed by the one who reports it, and leased for a day', () => {
    const ledger = new KernelLedger()
    ledger.submit({ protocol: protocolOf(pulled('only', { delivery: 'external' })) })
    expect(ledger.job()).toMatchObject({ state: 'QUEUED', ready: null, due_at: null })
    expect(ledger.claim().step.lease_expires_at).toBe(toIso(ledger.now + 24 * HOUR))
    ledger.now += HOUR
    expect(ledger.heartbeat().lease_expires_at).toBe(toIso(ledger.now + 24 * HOUR))
    ledger.pass(24 * HOUR)
    expect(ledger.step()).toMatchObject({ state: 'FAILED_FINAL', last_error_code: 'LEASE_EXPIRED' })
  })

  it('an external step may have another lease', () => {
    const ledger = new KernelLedger()
    const policy = { lease_ms: MINUTE }
    ledger.submit({ protocol: protocolOf(pulled('only', { delivery: 'external', policy })) })
    expect(ledger.claim().step.lease_expires_at).toBe(toIso(ledger.now + MINUTE))
  })
})
