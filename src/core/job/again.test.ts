import { describe, expect, it } from 'vitest'
import { protocolOf, pulled, pushed } from '../../../test/fixtures/job-commands.ts'
import { KernelLedger } from '../../../test/fixtures/kernel-ledger.ts'
import { withoutLoaded } from '../../../test/fixtures/not-loaded.ts'
import { toIso } from '../time.ts'
import type { RunAgain } from './commands.ts'
import { decideJob } from './decide.ts'
import { IN_FLIGHT } from './limits.ts'

const MINUTE = 60_000

const again: RunAgain = {
  type: 'runAgain',
  tenant_id: 't1',
  job_id: 'j1',
  new_job_id: 'j2',
  from_step: null,
  idempotency_key: null,
  inFlightLimit: 100,
  actor: 'operator',
  reason: 'the index was lost',
}

/** A job of three steps whose first succeeded and whose second failed for good. */
function failedAtSecond(): KernelLedger {
  const ledger = new KernelLedger()
  const policy = { max_attempts: 1 }
  ledger.submit({
    protocol: protocolOf(pulled('first'), pulled('second', { policy }), pulled('third')),
    idempotency_key: 'key-1',
    expires_at: toIso(ledger.now + 60 * MINUTE),
    priority: 1,
    tags: ['nightly'],
  })
  ledger.claim()
  ledger.report({ status: 'SUCCEEDED', output: { pages: 3 }, output_ref: 's3://pages' })
  ledger.claim()
  ledger.fail('RETRYABLE')
  ledger.now += MINUTE
  return ledger
}

describe('running a job again', () => {
  it('makes a new job of it, from the beginning, and lets the old one be', () => {
    const ledger = failedAtSecond()
    const old = ledger.job()
    expect(ledger.run(again)).toEqual({ job_id: 'j2', duplicate: false, differing: [] })
    expect(ledger.job('j1')).toBe(old)
    const at = toIso(ledger.now)
    expect(ledger.job('j2')).toMatchObject({
      state: 'QUEUED',
      again_of: 'j1',
      idempotency_key: null,
      priority: 1,
      tags: ['nightly'],
      payload: old.payload,
      attempts_total: 0,
      expires_at: null,
      current_step_id: 'first',
      current_step_index: 0,
      created_at: at,
      updated_at: at,
      state_since: at,
      completed_at: null,
      error_code: null,
      error_message: null,
    })
    expect(ledger.job('j2').ready).toMatchObject({ queue: 'first-service' })
    const fresh = { attempt_no: 0, lease_id: null, output: null, result_ref: null, last_error_code: null }
    for (const step of ledger.steps('j2')) {
      expect(step).toMatchObject({ ...fresh, state: 'PENDING', job_id: 'j2', input_ref: 'in' })
      expect(step).toMatchObject({ created_at: at, completed_at: null, released: 0 })
    }
    expect(ledger.used(IN_FLIGHT)).toBe(1)
    expect(ledger.last()).toMatchObject({
      kind: 'job',
      id: 'j2',
      path: [null, 'QUEUED'],
      actor: 'operator',
      reason: 'the index was lost',
    })
  })

  // The second step of the old job had its input from the first, and the new job would have gone on with that.
  it('each step has its input from this run, not from the one before', () => {
    const ledger = failedAtSecond()
    expect(ledger.step(1, 'j1').input_ref).toBe('s3://pages')
    ledger.run(again)
    ledger.claim('j2')
    ledger.succeed('j2')
    expect(ledger.claim('j2').step.input_ref).toBe('in')
  })

  it('from a step on takes over what the steps before came to', () => {
    const ledger = failedAtSecond()
    const first = ledger.step(0, 'j1')
    ledger.run({ ...again, from_step: 'second' })
    expect(ledger.job('j2')).toMatchObject({ current_step_id: 'second', current_step_index: 1 })
    expect(ledger.step(0, 'j2')).toMatchObject({
      state: 'SUCCEEDED',
      state_since: first.state_since,
      completed_at: first.completed_at,
      output: { pages: 3 },
      result_ref: 's3://pages',
      attempt_no: 0,
      lease_id: null,
      holder: null,
    })
    const { step, previous } = ledger.claim('j2')
    expect(step).toMatchObject({ step_id: 'second', attempt_no: 1, input_ref: 's3://pages' })
    expect(previous).toEqual({ pages: 3 })
    ledger.succeed('j2')
    ledger.claim('j2')
    ledger.succeed('j2')
    expect(ledger.states('j2')).toEqual(['SUCCEEDED', 'SUCCEEDED', 'SUCCEEDED', 'SUCCEEDED'])
    expect(ledger.job('j2').attempts_total).toBe(2)
  })

  // Otherwise the records and their history contradict each other, and every check of the ledger says so.
  it('a step that was taken over has a history of its own', () => {
    const ledger = failedAtSecond()
    ledger.run({ ...again, from_step: 'second' })
    expect(ledger.records('step', 'j2/first')).toMatchObject([
      { event: 'moved', old_state: null, new_state: 'SUCCEEDED', duration_seconds: null },
    ])
    expect(ledger.records('step', 'j2/second')).toEqual([])
  })

  it('from its first step is from the beginning; from its last one is fine too', () => {
    const ledger = new KernelLedger()
    ledger.submit()
    for (let step = 0; step < 2; step++) {
      ledger.claim()
      ledger.succeed()
    }
    ledger.run({ ...again, from_step: 'first' })
    expect(ledger.states('j2')).toEqual(['QUEUED', 'PENDING', 'PENDING'])
    ledger.run({ ...again, new_job_id: 'j3', from_step: 'second' })
    expect(ledger.states('j3')).toEqual(['QUEUED', 'SUCCEEDED', 'PENDING'])
  })

  it('keeps a large output where it is', () => {
    const ledger = new KernelLedger()
    const output_file = { file: 'abc.json', sha256: 'abc', size_bytes: 100_000 }
    ledger.submit()
    ledger.claim()
    ledger.report({ status: 'SUCCEEDED', output_file })
    ledger.cancel()
    ledger.run({ ...again, from_step: 'second' })
    expect(ledger.claim('j2')).toMatchObject({ previous: null, previous_file: output_file })
  })

  it('of a pushed job sends its directive again', () => {
    const ledger = new KernelLedger()
    ledger.submit({ protocol: protocolOf(pushed('ocr')) })
    ledger.cancel()
    ledger.run(again)
    expect(ledger.states('j2')).toEqual(['DISPATCHING', 'DISPATCHING'])
    expect(ledger.rows('j2')).toMatchObject([{ state: 'PENDING', payload: { jobId: 'j2', input_ref: 'in' } }])
  })

  it('waits for nothing that the old one waited for, and is bound by the limits it was let past', () => {
    const ledger = new KernelLedger()
    ledger.submit({ job_id: 'before' })
    ledger.submit({ depends_on: ['before'], run_at: toIso(ledger.now + MINUTE), schedule_id: 'nightly' })
    ledger.expedite({ ignore: ['limits'] })
    ledger.cancel()
    ledger.run(again)
    expect(ledger.job('j2')).toMatchObject({
      depends_on: [],
      waits_for: [],
      run_at: null,
      schedule_id: null,
      unlimited: false,
    })
    expect(ledger.job('j2').ready).not.toHaveProperty('unlimited')
  })
})

describe('running a job again is refused', () => {
  it('while it is open', () => {
    const ledger = new KernelLedger()
    ledger.submit()
    expect(ledger.refusalOf(again)).toMatchObject({
      code: 'JOB_NOT_ENDED',
      field: 'job_id',
      details: { job_id: 'j1', state: 'QUEUED' },
    })
  })

  it('under an id that is taken', () => {
    const ledger = failedAtSecond()
    for (const new_job_id of ['j1', 'other']) {
      if (new_job_id === 'other') ledger.submit({ job_id: 'other' })
      expect(ledger.refusalOf({ ...again, new_job_id })).toMatchObject({
        code: 'JOB_EXISTS',
        field: 'new_job_id',
        details: { job_id: new_job_id },
      })
    }
  })

  it('from a step that it does not have', () => {
    expect(failedAtSecond().refusalOf({ ...again, from_step: 'fourth' })).toMatchObject({
      code: 'STEP_UNKNOWN',
      field: 'from_step',
      next: 'Use one of: first, second, third.',
      details: { job_id: 'j1', from_step: 'fourth', steps: ['first', 'second', 'third'] },
    })
  })

  it('from a step that it never reached', () => {
    expect(failedAtSecond().refusalOf({ ...again, from_step: 'third' })).toMatchObject({
      code: 'STEP_NOT_REACHED',
      field: 'from_step',
      details: { from_step: 'third', step_id: 'second', state: 'FAILED_FINAL' },
    })
  })

  it('when its tenant has as many open jobs as it may', () => {
    const ledger = failedAtSecond()
    ledger.submit({ job_id: 'open' })
    const before = ledger.contents()
    expect(ledger.refusalOf({ ...again, inFlightLimit: 1 })).toMatchObject({
      code: 'IN_FLIGHT_LIMIT',
      details: { tenant_id: 't1', limit: 1, retry_after_seconds: 1 },
    })
    expect(ledger.contents()).toEqual(before)
  })

  it('of a job that is not there, or with an etag that is stale', () => {
    const ledger = failedAtSecond()
    expect(ledger.refusalOf({ ...again, job_id: 'nobody' }).code).toBe('NOT_FOUND')
    expect(ledger.refusalOf({ ...again, if_match: 'old' }).code).toBe('STALE_ETAG')
  })
})

describe('running a job again with a key', () => {
  const once = { ...again, idempotency_key: 'rerun-1' }

  it('twice makes one job, also at the limit and under another id', () => {
    const ledger = failedAtSecond()
    ledger.run(once)
    const before = ledger.contents()
    const repeated = { ...once, new_job_id: 'j3', inFlightLimit: 1 }
    expect(ledger.run(repeated)).toEqual({ job_id: 'j2', duplicate: true, differing: [] })
    expect(ledger.contents()).toEqual(before)
    expect(ledger.job('j2').idempotency_key).toBe('rerun-1')
  })

  it('without one makes as many as it is asked to', () => {
    const ledger = failedAtSecond()
    ledger.run(again)
    expect(ledger.run({ ...again, new_job_id: 'j3' })).toMatchObject({ job_id: 'j3', duplicate: false })
  })
})

it('asks for the job that it would make, when it does not know whether there is one', () => {
  const ledger = failedAtSecond()
  const given = {
    ...withoutLoaded(ledger, 'run'),
    get: ((kind, tenant_id, id) =>
      id === 'j2' ? undefined : ledger.get(kind, tenant_id, id)) as KernelLedger['get'],
  }
  expect(decideJob(again, given)).toEqual({
    kind: 'need',
    keys: [{ kind: 'job', tenant_id: 't1', id: 'j2' }],
  })
})
