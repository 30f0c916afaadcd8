import { describe, expect, it } from 'vitest'
import { protocolOf, pulled, pushed } from '../../../test/fixtures/job-commands.ts'
import { KernelLedger } from '../../../test/fixtures/kernel-ledger.ts'
import { withoutLoaded } from '../../../test/fixtures/not-loaded.ts'
import type { Gate } from '../pipeline/gate.ts'
import { toIso } from '../time.ts'
import type { SubmitJob } from './commands.ts'
import { decideJob } from './decide.ts'

const MINUTE = 60_000

const READY: Gate = { name: 'ready', when: { field: 'metadata.ready', op: 'equals', value: true } }
const PARSED: Gate = {
  name: 'parsed',
  when: { field: 'document.state', op: 'equals', value: 'parsed' },
  timeout_ms: 15 * MINUTE,
}

function parked(gate: Gate, more: Partial<SubmitJob> = {}): KernelLedger {
  const ledger = new KernelLedger()
  const stages = [pulled('download'), pulled('chunk', { gate }), pulled('embed'), pulled('index')]
  ledger.submit({ protocol: protocolOf(...stages), doc_id: 'd1', ...more })
  ledger.claim()
  ledger.succeed()
  return ledger
}

function annotate(ledger: KernelLedger, metadata: Record<string, unknown>): void {
  const by = { tenant_id: 't1', job_id: 'j1', actor: 'ir-builder', reason: null }
  ledger.run({ type: 'annotateJob', ...by, metadata: metadata as never, event: null })
}

function move(ledger: KernelLedger, ...states: readonly string[]): void {
  for (const state of states) {
    const by = { tenant_id: 't1', doc_id: 'd1', actor: 'parser', reason: null }
    ledger.run({ type: 'updateDocument', ...by, state: state as never })
  }
}

describe('gates', () => {
  it('A54: a job is parked before the stage, without a worker, until somebody says what it waits for', () => {
    const ledger = parked(READY)
    expect(ledger.states()).toEqual(['IN_PROGRESS', 'SUCCEEDED', 'PENDING', 'PENDING', 'PENDING'])
    expect(ledger.job()).toMatchObject({ ready: null, due_at: null, current_step_id: 'chunk' })
    expect(ledger.step(1)).toMatchObject({
      holder: null,
      gate: { since: toIso(ledger.now), opened_at: null },
    })
    ledger.pass(100 * MINUTE)
    annotate(ledger, { ready: false })
    expect(ledger.job().ready).toBeNull()
    annotate(ledger, { ready: true })
    expect(ledger.job().ready).toMatchObject({ queue: 'chunk-service' })
    expect(ledger.claim().step.step_id).toBe('chunk')
    expect(
      ledger.history.filter(({ metadata }) => metadata.gate === 'ready').map(({ metadata }) => metadata),
    ).toMatchObject([{ parked: true }, { opened: true }])
  })

  it('A54: what becomes of the document opens it, however long that takes', () => {
    const ledger = parked(PARSED)
    expect(ledger.job()).toMatchObject({ waits_for: ['document:d1'], due_at: toIso(ledger.now) })
    ledger.pass(0)
    expect(ledger.job().due_at).toBe(toIso(ledger.now + 15 * MINUTE))
    move(ledger, 'fetching', 'fetched')
    ledger.pass(MINUTE)
    expect(ledger.job().ready).toBeNull()
    move(ledger, 'parsing', 'parsed')
    ledger.pass(0)
    expect(ledger.job()).toMatchObject({ waits_for: [], due_at: null, ready: { queue: 'chunk-service' } })
  })

  it('A54: a gate that is open already is passed as soon as somebody has looked', () => {
    const ledger = new KernelLedger()
    ledger.submit({ protocol: protocolOf(pulled('chunk', { gate: PARSED })), doc_id: 'd1' })
    move(ledger, 'fetching', 'fetched', 'parsing', 'parsed')
    ledger.pass(0)
    expect(ledger.job()).toMatchObject({ state: 'QUEUED', ready: { queue: 'chunk-service' } })
  })

  it('A54: goes on with its resume stage; those passed over are cancelled, and the job succeeds', () => {
    const ledger = parked({ ...READY, resume: 'index' })
    annotate(ledger, { ready: true })
    expect(ledger.states()).toEqual(['IN_PROGRESS', 'SUCCEEDED', 'CANCELLED', 'CANCELLED', 'PENDING'])
    expect(ledger.step(1)).toMatchObject({ last_error_code: 'GATE' })
    expect(ledger.claim().step.step_id).toBe('index')
    ledger.succeed()
    expect(ledger.job().state).toBe('SUCCEEDED')
  })

  it('A54: when its time runs out, the job fails, and says so', () => {
    const ledger = parked(PARSED)
    ledger.pass(15 * MINUTE - 1)
    expect(ledger.job().state).toBe('IN_PROGRESS')
    ledger.pass(1)
    expect(ledger.job()).toMatchObject({ state: 'FAILED_FINAL', error_code: 'GATE_TIMEOUT', waits_for: [] })
    expect(ledger.job().error_message).toMatch(/^timeout: gate parsed/)
  })

  it('what a field was when the job came there is what it has changed from', () => {
    const changed: Gate = {
      name: 'changed',
      when: {
        any: [
          { field: 'document.state', op: 'changed' },
          { field: 'metadata.revision', op: 'changed' },
        ],
      },
    }
    const ledger = new KernelLedger()
    move(ledger, 'fetching')
    ledger.submit({
      protocol: protocolOf(pulled('chunk', { gate: changed })),
      doc_id: 'd1',
      metadata: { revision: 1 },
    })
    ledger.pass(MINUTE)
    expect(ledger.job().ready).toBeNull()
    move(ledger, 'fetched')
    ledger.pass(0)
    expect(ledger.job().ready).not.toBeNull()
    const other = new KernelLedger()
    other.submit({ protocol: protocolOf(pulled('chunk', { gate: changed })), metadata: { revision: 1 } })
    annotate(other, { revision: 1 })
    expect(other.job().ready).toBeNull()
    annotate(other, { revision: 2 })
    expect(other.job().ready).not.toBeNull()
  })

  it('waits are waited for in turn: jobs, then a time, then the gate', () => {
    const ledger = new KernelLedger()
    ledger.submit({ job_id: 'j0' })
    const run_at = toIso(ledger.now + MINUTE)
    ledger.submit({ protocol: protocolOf(pulled('chunk', { gate: READY })), depends_on: ['j0'], run_at })
    ledger.expedite({ job_id: 'j0' })
    for (let step = 0; step < 2; step++) {
      ledger.claim('j0')
      ledger.succeed('j0')
    }
    ledger.pass(0)
    expect(ledger.step().gate?.since).toBeNull()
    ledger.pass(MINUTE)
    expect(ledger.step().gate?.since).toBe(run_at)
    annotate(ledger, { ready: true })
    expect(ledger.job().ready).not.toBeNull()
  })

  it('is not opened by what is not known: a gate about a document is looked at with the document', () => {
    const gate: Gate = {
      name: 'g',
      when: {
        all: [
          { field: 'document.state', op: 'not_equals', value: 'fetching' },
          { field: 'metadata.go', op: 'exists' },
        ],
      },
    }
    const ledger = new KernelLedger()
    move(ledger, 'fetching')
    ledger.submit({ protocol: protocolOf(pulled('chunk', { gate })), doc_id: 'd1' })
    ledger.pass(MINUTE)
    annotate(ledger, { go: 1 })
    expect(ledger.job()).toMatchObject({ ready: null, due_at: ledger.step().gate?.since })
    ledger.pass(MINUTE)
    expect(ledger.job()).toMatchObject({ ready: null, due_at: null })
    move(ledger, 'fetched')
    ledger.pass(0)
    expect(ledger.job().ready).not.toBeNull()
  })

  it('an operator may open it, and leaves the rest alone', () => {
    const ledger = parked(PARSED)
    ledger.pass(0)
    ledger.expedite({ ignore: ['dependencies'] })
    expect(ledger.job()).toMatchObject({ ready: null, waits_for: ['document:d1'] })
    ledger.expedite({ ignore: ['gate'] })
    expect(ledger.job()).toMatchObject({ waits_for: [], ready: { queue: 'chunk-service' } })
    ledger.claim()
    ledger.expedite({ ignore: ['gate'] })
    expect(ledger.step(1).state).toBe('IN_PROGRESS')
  })

  it('a crash between the stages that it passes over leaves none of them to be done', () => {
    const ledger = parked({ ...READY, resume: 'index' })
    const by = { tenant_id: 't1', job_id: 'j1', actor: 'a', reason: null }
    const go = { type: 'annotateJob', ...by, metadata: { ready: true }, event: null } as const
    const decision = ledger.decide(go)
    if (decision.kind !== 'change') throw new Error('It opens')
    ledger.write({ puts: decision.change.puts.slice(0, 1) })
    expect(ledger.states()).toEqual(['IN_PROGRESS', 'SUCCEEDED', 'CANCELLED', 'PENDING', 'PENDING'])
    ledger.advance()
    expect(ledger.states()).toEqual(['IN_PROGRESS', 'SUCCEEDED', 'CANCELLED', 'CANCELLED', 'PENDING'])
    expect(ledger.claim().step.step_id).toBe('index')
  })

  it('a crash before the job is written does not keep it from hearing of its document', () => {
    const ledger = new KernelLedger()
    ledger.submit({ protocol: protocolOf(pulled('chunk', { gate: PARSED })), doc_id: 'd1', delay_ms: 1000 })
    ledger.now += 1000
    const advance = { type: 'advanceJob', tenant_id: 't1', job_id: 'j1', actor: 't', reason: null } as const
    const decision = ledger.decide(advance)
    if (decision.kind !== 'change') throw new Error('It is parked')
    ledger.write({ puts: decision.change.puts.filter(({ kind }) => kind === 'step') })
    ledger.advance()
    expect(ledger.job().waits_for).toEqual(['document:d1'])
  })

  it('what it passed over may be run again, any number of times, and from there on', () => {
    const ledger = parked({ ...READY, resume: 'index' })
    annotate(ledger, { ready: true })
    ledger.claim()
    ledger.fail('NON_RETRYABLE')
    const by = { tenant_id: 't1', actor: 'a', reason: null }
    const again = (job_id: string, new_job_id: string, from_step: string) =>
      ledger.run({
        type: 'runAgain',
        ...by,
        job_id,
        new_job_id,
        from_step,
        idempotency_key: null,
        inFlightLimit: 9,
      })
    again('j1', 'j2', 'index')
    ledger.claim('j2')
    ledger.fail('NON_RETRYABLE', 'j2')
    // It had forgotten why the steps before it were not done, and was refused.
    again('j2', 'j3', 'index')
    expect(ledger.claim('j3').step.step_id).toBe('index')
    again('j2', 'j4', 'embed')
    expect(ledger.states('j4')).toEqual(['QUEUED', 'SUCCEEDED', 'CANCELLED', 'PENDING', 'PENDING'])
    expect(ledger.claim('j4').step.step_id).toBe('embed')
  })

  it('a gate about a document asks for it, and a job without one waits for its time', () => {
    const ledger = parked(PARSED)
    const advance = {
      type: 'advanceJob',
      tenant_id: 't1',
      job_id: 'j1',
      actor: 'timer',
      reason: null,
    } as const
    expect(decideJob(advance, withoutLoaded(ledger, 'document'))).toEqual({
      kind: 'need',
      keys: [{ kind: 'document', tenant_id: 't1', id: 'd1' }],
    })
    const without = parked(PARSED, { doc_id: null })
    without.pass(15 * MINUTE)
    expect(without.job()).toMatchObject({ error_code: 'GATE_TIMEOUT' })
  })

  it('pushed stages wait as well, jobs end by expiry and by cancelling, and run again the gate is shut', () => {
    const ledger = new KernelLedger()
    const protocol = protocolOf(pushed('ocr', { gate: READY }))
    ledger.submit({ protocol, expires_at: toIso(ledger.now + MINUTE) })
    expect(ledger.states()).toEqual(['QUEUED', 'PENDING'])
    ledger.pass(MINUTE)
    expect(ledger.job()).toMatchObject({ error_code: 'EXPIRED' })
    ledger.submit({ job_id: 'j2', protocol, metadata: { ready: true }, idempotency_hash: 'other' })
    expect(ledger.states('j2')).toEqual(['DISPATCHING', 'DISPATCHING'])
    ledger.submit({ job_id: 'j3', protocol, idempotency_hash: 'third' })
    ledger.cancel('j3')
    expect(ledger.states('j3')).toEqual(['CANCELLED', 'CANCELLED'])
    const again = { type: 'runAgain', tenant_id: 't1', job_id: 'j1', actor: 'a', reason: null } as const
    ledger.run({ ...again, new_job_id: 'j4', from_step: null, idempotency_key: null, inFlightLimit: 9 })
    expect(ledger.step(0, 'j4').gate).toMatchObject({ opened_at: null, until: null })
  })

  it('run again from a later stage, those passed over stay so', () => {
    const ledger = parked({ ...READY, resume: 'index' })
    annotate(ledger, { ready: true })
    ledger.claim()
    ledger.fail('NON_RETRYABLE')
    const again = { type: 'runAgain', tenant_id: 't1', job_id: 'j1', actor: 'a', reason: null } as const
    ledger.run({ ...again, new_job_id: 'j2', from_step: 'index', idempotency_key: null, inFlightLimit: 9 })
    expect(ledger.states('j2')).toEqual(['QUEUED', 'SUCCEEDED', 'CANCELLED', 'CANCELLED', 'PENDING'])
    ledger.claim('j2')
    ledger.succeed('j2')
    expect(ledger.job('j2').state).toBe('SUCCEEDED')
  })
})

describe('annotations', () => {
  const by = { tenant_id: 't1', job_id: 'j1', actor: 'a', reason: 'r' } as const

  it('are laid over what is known, and told in the history', () => {
    const ledger = new KernelLedger()
    ledger.submit({ metadata: { a: 1, b: 2 } })
    const event = { event_type: 'note', payload: { x: 1 } }
    ledger.run({ type: 'annotateJob', ...by, metadata: { b: null, c: 3 }, event })
    expect(ledger.job().metadata).toEqual({ a: 1, c: 3 })
    expect(ledger.last()).toMatchObject({
      event: 'noted',
      reason: 'r',
      metadata: { b: null, c: 3, ...event },
    })
  })

  it('of a job that has ended are events only', () => {
    const ledger = new KernelLedger()
    ledger.submit()
    ledger.cancel()
    const event = { event_type: 'note', payload: {} }
    ledger.run({ type: 'annotateJob', ...by, metadata: {}, event })
    expect(ledger.last()).toMatchObject({ event: 'noted', metadata: event })
    const refused = ledger.refusalOf({ type: 'annotateJob', ...by, metadata: { a: 1 }, event: null })
    expect(refused).toMatchObject({ code: 'INVALID_STATE_TRANSITION', field: 'metadata' })
  })
})
