import { describe, expect, it } from 'vitest'
import { protocolOf, pulled, pushed, submitOf } from '../../../test/fixtures/job-commands.ts'
import { KernelLedger } from '../../../test/fixtures/kernel-ledger.ts'
import { toIso } from '../time.ts'

const MINUTE = 60_000

const to = { tenant_id: 't1', job_id: 'j1', actor: 'test', reason: null }

function startPulled(ledger: KernelLedger): void {
  ledger.submit({ protocol: protocolOf(pulled('ocr'), pulled('index')) })
  ledger.claim()
}

describe('A17: a job that was left behind', () => {
  /** Writes records as a crash may have left them. */
  function leave(ledger: KernelLedger, states: readonly string[], error: string | null = null): void {
    const at = {
      lease_expires_at: null,
      last_error_code: error,
      last_error_message: error && `because ${error}`,
    }
    ledger.write({
      puts: ledger.steps().map((step, i) => ({ ...step, ...at, state: states[i] as typeof step.state })),
    })
  }

  it('all steps succeeded: it succeeded', () => {
    const ledger = new KernelLedger()
    startPulled(ledger)
    leave(ledger, ['SUCCEEDED', 'SUCCEEDED'])
    expect(ledger.advance()).toMatchObject({ state: 'SUCCEEDED', completed_at: toIso(ledger.now) })
  })

  it('a worker or dispatcher that comes before the repair finds nothing to take', () => {
    const ledger = new KernelLedger()
    startPulled(ledger)
    leave(ledger, ['SUCCEEDED', 'SUCCEEDED'])
    const details = { state: 'IN_PROGRESS', waits_for: 'nothing' }
    expect(ledger.refusalOf({ type: 'claimStep', ...to })).toMatchObject({ code: 'NOT_CLAIMABLE', details })
    expect(ledger.refusalOf({ type: 'takeOutbox', ...to })).toMatchObject({
      code: 'NOTHING_TO_PUBLISH',
      details,
    })
  })

  it('a dispatcher that comes before a row is made again finds nothing to take', () => {
    const ledger = new KernelLedger()
    const decision = ledger.decide(submitOf({ protocol: protocolOf(pushed('ocr')) }))
    if (decision.kind !== 'change') throw new Error('it is accepted')
    ledger.write({ puts: decision.change.puts.filter(({ kind }) => kind !== 'outbox') })
    expect(ledger.refusalOf({ type: 'takeOutbox', ...to })).toMatchObject({
      code: 'NOTHING_TO_PUBLISH',
      details: { waits_for: 'publish' },
    })
    ledger.advance()
    expect(ledger.take().attempt_no).toBe(1)
  })

  // The walk through all states found it: the row was made again only when the delay would have been over.
  it('one that an operator got on with is not held up by the delay that he ended', () => {
    const ledger = new KernelLedger()
    ledger.submit({ protocol: protocolOf(pushed('ocr')), delay_ms: MINUTE })
    const expedited = ledger.decide({ type: 'expediteJob', ...to, priority: null, ignore: [] })
    if (expedited.kind !== 'change') throw new Error('it is accepted')
    ledger.write({ puts: expedited.change.puts.filter(({ kind }) => kind === 'step') })
    expect(ledger.job().run_at).toBe(toIso(ledger.now + MINUTE))
    expect(ledger.advance()).toMatchObject({ state: 'DISPATCHING', due_at: null })
    expect(ledger.take()).toMatchObject({ attempt_no: 1 })
  })

  it('nor by what it waited for', () => {
    const ledger = new KernelLedger()
    ledger.submit({ job_id: 'before' })
    ledger.submit({ protocol: protocolOf(pushed('ocr')), depends_on: ['before'] })
    const ignore = ['dependencies'] as const
    const expedited = ledger.decide({ type: 'expediteJob', ...to, priority: null, ignore })
    if (expedited.kind !== 'change') throw new Error('it is accepted')
    ledger.write({ puts: expedited.change.puts.filter(({ kind }) => kind === 'step') })
    expect(ledger.advance()).toMatchObject({ state: 'DISPATCHING' })
    expect(ledger.take()).toMatchObject({ attempt_no: 1 })
  })

  it('an operator who gets on with it ends it as its steps did', () => {
    const ledger = new KernelLedger()
    startPulled(ledger)
    leave(ledger, ['SUCCEEDED', 'SUCCEEDED'])
    expect(ledger.expedite({ ignore: ['attempt'] })).toMatchObject({ state: 'SUCCEEDED' })
  })

  it('a worker that reports before the repair brings the job along', () => {
    const ledger = new KernelLedger()
    ledger.submit({ protocol: protocolOf(pulled('ocr'), pulled('index')) })
    const decision = ledger.decide({ type: 'claimStep', ...to })
    ledger.write({ puts: decision.kind === 'change' ? decision.change.puts.slice(0, 1) : [] })
    expect(ledger.states()).toEqual(['QUEUED', 'IN_PROGRESS', 'PENDING'])
    ledger.succeed()
    expect(ledger.states()).toEqual(['IN_PROGRESS', 'SUCCEEDED', 'PENDING'])
    expect(ledger.records('job', 'j1').map(({ new_state }) => new_state)).toEqual([
      'QUEUED',
      'DISPATCHING',
      'IN_PROGRESS',
      'IN_PROGRESS',
    ])
  })

  it('all steps succeeded and it never even began: every state on the way is recorded', () => {
    const ledger = new KernelLedger()
    ledger.submit()
    leave(ledger, ['SUCCEEDED', 'SUCCEEDED'])
    ledger.advance()
    expect(ledger.records('job', 'j1').map(({ new_state }) => new_state)).toEqual([
      'QUEUED',
      'DISPATCHING',
      'IN_PROGRESS',
      'SUCCEEDED',
    ])
  })

  it('all steps succeeded while it was CANCELLING: cancelled', () => {
    const ledger = new KernelLedger()
    startPulled(ledger)
    ledger.cancel()
    leave(ledger, ['SUCCEEDED', 'SUCCEEDED'])
    expect(ledger.advance().state).toBe('CANCELLED')
  })

  it('a failed step: it failed, with the error of the step', () => {
    const ledger = new KernelLedger()
    startPulled(ledger)
    leave(ledger, ['FAILED_FINAL', 'PENDING'], 'BROKEN')
    expect(ledger.advance()).toMatchObject({
      state: 'FAILED_FINAL',
      error_code: 'BROKEN',
      error_message: 'because BROKEN',
    })
    expect(ledger.states()).toEqual(['FAILED_FINAL', 'FAILED_FINAL', 'CANCELLED'])
  })

  it('a failed step whose error happens to be called CANCELLED: it failed', () => {
    const ledger = new KernelLedger()
    startPulled(ledger)
    leave(ledger, ['FAILED_FINAL', 'PENDING'], 'CANCELLED')
    expect(ledger.advance()).toMatchObject({ state: 'FAILED_FINAL', error_code: 'CANCELLED' })
  })

  it('steps closed because a dependency did not succeed: skipped, and it says so', () => {
    const ledger = new KernelLedger()
    ledger.submit()
    ledger.submit({ job_id: 'j2', depends_on: ['j1'], on_dependency_failure: 'skip' })
    ledger.run({ type: 'cancelJob', ...to })
    const advance = { type: 'advanceJob', ...to, job_id: 'j2' } as const
    const decision = ledger.decide(advance)
    const steps = decision.kind === 'change' ? decision.change.puts.filter((put) => put.kind === 'step') : []
    expect(steps).toHaveLength(2)
    ledger.write({ puts: steps })
    expect(ledger.run(advance)).toMatchObject({ state: 'CANCELLED', error_code: 'DEPENDENCY_SKIPPED' })
  })

  it('the output of a step, reported before the crash, is the input of the next', () => {
    const ledger = new KernelLedger()
    startPulled(ledger)
    const { attempt_no, lease_id, step_id } = ledger.step()
    const decision = ledger.decide({
      type: 'reportResult',
      ...to,
      step_id,
      attempt_no,
      lease_id: lease_id as string,
      result: { status: 'SUCCEEDED', output_ref: 's3://pages' },
    })
    ledger.write({ puts: decision.kind === 'change' ? decision.change.puts.slice(0, 1) : [] })
    ledger.advance()
    expect(ledger.claim().step).toMatchObject({ step_id: 'index', input_ref: 's3://pages' })
  })

  it('a step passed over without an error ends nothing', () => {
    const ledger = new KernelLedger()
    startPulled(ledger)
    leave(ledger, ['CANCELLED', 'PENDING'])
    expect(ledger.advance()).toMatchObject({ state: 'IN_PROGRESS', current_step_id: 'index' })
  })

  it('a step DISPATCHING without its row: the row is made again with the routing of the job', () => {
    const ledger = new KernelLedger()
    ledger.submit({ mode: 'BURST', doc_id: 'Doc-99', protocol: protocolOf(pushed('ocr')) })
    const [lost] = ledger.rows()
    const twin = new KernelLedger()
    twin.write({ puts: [...ledger.steps(), ledger.job()].map((record) => ({ ...record })) })
    expect(twin.rows()).toEqual([])
    twin.advance()
    const [made] = twin.rows()
    expect({ ...made, outbox_id: '', etag: '' }).toEqual({ ...lost, outbox_id: '', etag: '' })
  })
})

describe('A17: a dispatcher that died while it took work under a limit', () => {
  it.each([1, 2])('%i of 3 rows written: the directive is there for the next one to take', (kept) => {
    const ledger = new KernelLedger()
    ledger.submit({ protocol: protocolOf(pushed('ocr', { limits: [{ key: 'gpu', max: 1 }] })) })
    const decision = ledger.decide({ type: 'takeOutbox', ...to })
    if (decision.kind !== 'change') throw new Error('There has to be something to take')
    const puts = decision.change.puts.slice(0, kept)
    // The taken row may be written or not; that it was taken runs out like any other take.
    ledger.write({ puts })
    ledger.advance()
    expect(ledger.states()).toEqual(['DISPATCHING', 'DISPATCHING'])
    ledger.pass(MINUTE)
    expect(ledger.job().ready).toMatchObject({ queue: 'push:ocr-service' })
    expect(ledger.take()).toMatchObject({ lease_id: ledger.step().lease_id, tries: kept })
    expect(ledger.rows()).toHaveLength(1)
  })
})

describe('A17: an outbox row whose step has gone on without it', () => {
  it.each(['AWAITING_ACK', 'IN_PROGRESS', 'SUCCEEDED'] as const)('is SENT when the step is %s', (state) => {
    const ledger = new KernelLedger()
    ledger.submit({ protocol: protocolOf(pushed('ocr'), pushed('index')) })
    const ahead = toIso(ledger.now + MINUTE)
    ledger.write({ puts: [{ ...ledger.step(), state, ack_deadline_at: ahead, lease_expires_at: ahead }] })
    ledger.advance()
    expect(ledger.rows()[0]).toMatchObject({ state: 'SENT', sent_at: toIso(ledger.now) })
    expect(ledger.step().state).toBe(state)
  })

  it('is closed when another attempt holds the step', () => {
    const ledger = new KernelLedger()
    ledger.submit({ protocol: protocolOf(pushed('ocr'), pushed('index')) })
    ledger.write({ puts: [{ ...ledger.step(), attempt_no: 2, lease_id: 'newer' }] })
    ledger.advance()
    expect(ledger.rows()).toMatchObject([
      { state: 'FAILED_FINAL', last_error_code: 'SUPERSEDED' },
      { state: 'PENDING', attempt_no: 2, lease_id: 'newer' },
    ])
  })
})
