import { describe, expect, it } from 'vitest'
import { protocolOf, pulled, pushed } from '../../../test/fixtures/job-commands.ts'
import { KernelLedger } from '../../../test/fixtures/kernel-ledger.ts'
import { withoutLoaded } from '../../../test/fixtures/not-loaded.ts'
import { toIso } from '../time.ts'
import type { SubmitJob } from './commands.ts'
import { decideJob } from './decide.ts'
import { IN_FLIGHT } from './limits.ts'
import type { Rung } from './record.ts'

const AIDER = protocolOf(
  pulled('aider', { policy: { max_attempts: 3, backoff: { kind: 'list', delaysMs: [0] } } }),
)
const CODEX = { ...protocolOf(pulled('codex', { policy: { max_attempts: 1 } })), request_type: 'CODEX' }
const HUMAN = { ...protocolOf(pulled('human', { delivery: 'external' })), request_type: 'HUMAN' }

const LADDER: readonly Rung[] = [
  { protocol: CODEX, payload: { tool: 'codex' }, priority: 1 },
  { protocol: HUMAN, payload: { tool: 'human' }, priority: 1 },
]

function submitted(more: Partial<SubmitJob> = {}): KernelLedger {
  const ledger = new KernelLedger()
  ledger.submit({ protocol: AIDER, rungs: LADDER, metadata: { ticket: 7 }, ...more })
  return ledger
}

/** Fails for good. */
function fails(ledger: KernelLedger, job_id = 'j1'): void {
  ledger.claim(job_id)
  ledger.fail('NON_RETRYABLE', job_id)
}

describe('escalation', () => {
  it('A69: two retries, then another tool, at high priority and linked, in the same commit', () => {
    const ledger = submitted({ run_id: 'r1', workstream_id: 'w1' })
    for (let attempt = 1; attempt <= 3; attempt++) {
      expect(ledger.job().state).not.toBe('FAILED_FINAL')
      ledger.claim()
      ledger.fail('RETRYABLE')
      ledger.pass(0)
    }
    expect(ledger.job()).toMatchObject({ state: 'FAILED_FINAL', escalation: { escalated_to: 'j1~2' } })
    const links = { original_job_id: 'j1', escalated_from: 'j1', escalation_reason: 'BROKEN: it broke' }
    expect(ledger.job('j1~2')).toMatchObject({
      state: 'QUEUED',
      request_type: 'CODEX',
      payload: { tool: 'codex' },
      priority: 1,
      run_id: 'r1',
      workstream_id: 'w1',
      metadata: { ticket: 7, ...links },
      escalation: { ...links, level: 2, escalated_to: null },
      ready: { queue: 'codex-service' },
    })
    expect(ledger.used(IN_FLIGHT)).toBe(1)
  })

  it('A69: the ladder ends with a person, who says how it went', () => {
    const ledger = submitted()
    fails(ledger)
    fails(ledger, 'j1~2')
    expect(ledger.job('j1~3')).toMatchObject({
      request_type: 'HUMAN',
      ready: null,
      escalation: { rungs: [], level: 3, original_job_id: 'j1', escalated_from: 'j1~2' },
    })
    const by = { tenant_id: 't1', job_id: 'j1~3', actor: 'ada', reason: 'done by hand' }
    const facts = { attempts: null, output_count: null, duration_ms: null, output: null }
    ledger.run({ type: 'reportStage', ...by, report: { what: 'succeeded', stage: 'human', ...facts } })
    expect(ledger.job('j1~3').state).toBe('SUCCEEDED')
    expect(ledger.used(IN_FLIGHT)).toBe(0)
  })

  it('what never began has not failed at it: nobody takes over, nor for one that was cancelled', () => {
    const expired = submitted({ expires_at: toIso(Date.UTC(2025, 0, 2, 3, 4, 6)) })
    expired.pass(60_000)
    expect(expired.job()).toMatchObject({ error_code: 'EXPIRED', escalation: { escalated_to: null } })
    const cancelled = submitted()
    cancelled.claim()
    cancelled.cancel()
    cancelled.fail('RETRYABLE')
    expect(cancelled.job()).toMatchObject({ state: 'CANCELLED', escalation: { escalated_to: null } })
    expect(cancelled.get('job', 't1', 'j1~2')).toBeNull()
  })

  it('takes another id when that one is somebody else’s, and makes no second one after a crash', () => {
    const taken = submitted()
    taken.submit({ job_id: 'j1~2' })
    fails(taken)
    expect(taken.job().escalation?.escalated_to).toMatch(/^id-/)
    const whole = submitted()
    whole.claim()
    const by = whole.fence()
    const error = { code: 'BROKEN', message: 'it broke' }
    const failing = {
      type: 'reportResult',
      ...by,
      result: { status: 'FAILED', failure_class: 'NON_RETRYABLE', error },
    } as const
    const decision = whole.decide(failing)
    if (decision.kind !== 'change') throw new Error('It fails')
    // All of the new job, and of the old one the step.
    const { puts } = decision.change
    whole.write({
      puts: puts.filter((put) => put.kind === 'step' || (put.kind === 'job' && put.job_id === 'j1~2')),
    })
    whole.advance()
    expect(whole.job()).toMatchObject({ state: 'FAILED_FINAL', escalation: { escalated_to: 'j1~2' } })
    expect(whole.contents().filter(({ kind }) => kind === 'job')).toHaveLength(2)
  })

  it('one that a crash left before it was over is over, whoever asks first', () => {
    // A cancel that came before the repair made it a cancelled one, while another job had its work.
    const ledger = submitted()
    ledger.claim()
    const error = { code: 'BROKEN', message: 'it broke' }
    const result = { status: 'FAILED', failure_class: 'NON_RETRYABLE', error } as const
    const decision = ledger.decide({ type: 'reportResult', ...ledger.fence(), result })
    if (decision.kind !== 'change') throw new Error('It fails')
    ledger.write({ puts: decision.change.puts.slice(0, -1) })
    ledger.cancel()
    expect(ledger.job()).toMatchObject({ state: 'FAILED_FINAL', escalation: { escalated_to: 'j1~2' } })
    expect(ledger.job('j1~2').state).toBe('QUEUED')
  })

  it('has to know whether there is a job by that id', () => {
    const ledger = submitted()
    const cancel = { type: 'cancelJob', tenant_id: 't1', job_id: 'j1', actor: 'a', reason: null } as const
    const given = {
      ...withoutLoaded(ledger, 'queue'),
      get: ((kind: 'job', tenant: string, id: string) =>
        id === 'j1' ? ledger.get(kind, tenant, id) : undefined) as never,
    }
    expect(decideJob(cancel, given)).toEqual({
      kind: 'need',
      keys: [{ kind: 'job', tenant_id: 't1', id: 'j1~2' }],
    })
  })

  it('pushed steps go out at once', () => {
    const pushedOut = { ...protocolOf(pushed('ocr')), request_type: 'OCR' }
    const ledger = submitted({ rungs: [{ protocol: pushedOut, payload: null, priority: 0 }] })
    fails(ledger)
    expect(ledger.states('j1~2')).toEqual(['DISPATCHING', 'DISPATCHING'])
  })

  it('those who wait for a job wait for whoever took over', () => {
    const ledger = submitted()
    ledger.submit({ job_id: 'after', depends_on: ['j1'] })
    fails(ledger)
    ledger.pass(0)
    expect(ledger.job('after')).toMatchObject({ state: 'QUEUED', waits_for: ['job:j1~2'] })
    ledger.submit({ job_id: 'late', depends_on: ['j1'] })
    expect(ledger.job('late').waits_for).toEqual(['job:j1~2'])
    ledger.claim('j1~2')
    ledger.succeed('j1~2')
    ledger.pass(0)
    for (const id of ['after', 'late'])
      expect(ledger.job(id)).toMatchObject({ waits_for: [], ready: { queue: 'first-service' } })
    const lost = submitted({ rungs: LADDER.slice(0, 1) })
    lost.submit({ job_id: 'after', depends_on: ['j1'] })
    fails(lost)
    lost.pass(0)
    fails(lost, 'j1~2')
    lost.pass(0)
    expect(lost.job('after')).toMatchObject({ state: 'FAILED_FINAL', error_code: 'DEPENDENCY_FAILED' })
  })

  it('who waits for two of a chain waits for the last of it, once', () => {
    const ledger = submitted()
    fails(ledger)
    ledger.submit({ job_id: 'after', depends_on: ['j1', 'j1~2'] })
    expect(ledger.job('after').waits_for).toEqual(['job:j1~2'])
  })

  it('run again, the chain begins anew', () => {
    const ledger = submitted()
    fails(ledger)
    const again = { type: 'runAgain', tenant_id: 't1', job_id: 'j1', actor: 'a', reason: null } as const
    ledger.run({ ...again, new_job_id: 'j9', from_step: null, idempotency_key: null, inFlightLimit: 9 })
    expect(ledger.job('j9').escalation).toMatchObject({ rungs: LADDER, level: 1, escalated_to: null })
    fails(ledger, 'j9')
    expect(ledger.job('j9~2').escalation).toMatchObject({ original_job_id: 'j9' })
  })

  it('in a batch, what comes later sees both', () => {
    const ledger = submitted()
    ledger.claim()
    const error = { code: 'BROKEN', message: 'it broke' }
    const by = { tenant_id: 't1', actor: 'a', reason: null }
    ledger.commit(
      ledger.decideBatch([
        {
          type: 'reportResult',
          ...ledger.fence(),
          result: { status: 'FAILED', failure_class: 'NON_RETRYABLE', error },
        },
        { type: 'cancelJob', ...by, job_id: 'j1~2' },
        { type: 'annotateJob', ...by, job_id: 'j1', metadata: {}, event: { event_type: 'e', payload: {} } },
      ]),
    )
    expect([ledger.job().state, ledger.job('j1~2').state]).toEqual(['FAILED_FINAL', 'CANCELLED'])
  })
})

describe('a document’s own key', () => {
  it('A53: is of one job; whoever names it again is answered with that', () => {
    const ledger = new KernelLedger()
    ledger.submit({ doc_key: 'isbn:1', strictIdempotency: true })
    expect(
      ledger.submit({ job_id: 'j2', doc_key: 'isbn:1', payload: { other: 1 }, strictIdempotency: true }),
    ).toEqual({
      job_id: 'j1',
      duplicate: true,
      differing: ['payload'],
    })
    expect(ledger.submit({ job_id: 'j3', doc_key: 'isbn:2' })).toMatchObject({
      job_id: 'j3',
      duplicate: false,
    })
    expect(ledger.job('j3').doc_key).toBe('isbn:2')
  })
})

describe('what is known of an attempt', () => {
  it('stays with the job and is told with the end of the attempt, good or bad', () => {
    const ledger = new KernelLedger()
    ledger.submit({ metadata: { a: 1 } })
    ledger.claim()
    ledger.report({
      status: 'FAILED',
      failure_class: 'RETRYABLE',
      error: { code: 'E', message: 'm' },
      metadata: { exit_code: 2 },
    })
    expect(ledger.job().metadata).toEqual({ a: 1, exit_code: 2 })
    expect(ledger.records('step', 'j1/first').at(-1)).toMatchObject({
      new_state: 'FAILED_RETRY',
      metadata: { exit_code: 2 },
    })
    ledger.pass(60_000)
    ledger.claim()
    ledger.report({ status: 'SUCCEEDED', output: ['x'], metadata: { exit_code: 0 } })
    expect(ledger.job().metadata).toEqual({ a: 1, exit_code: 0 })
    expect(ledger.records('step', 'j1/first').at(-1)).toMatchObject({
      new_state: 'SUCCEEDED',
      metadata: { exit_code: 0 },
    })
  })

  it('A50: stages of a pipeline say how they went', () => {
    const ledger = new KernelLedger()
    ledger.submit({
      pipeline_name: 'pdf',
      protocol: protocolOf(pulled('chunk'), pulled('embed'), pulled('index')),
    })
    ledger.claim()
    ledger.fail('RETRYABLE')
    ledger.pass(60_000)
    ledger.claim()
    ledger.now += 1200
    ledger.report({ status: 'SUCCEEDED', output: [1, 2, 3, 4, 5] })
    const stage = { attempts: 2, output_count: 5, duration_ms: 1200, completed_at: toIso(ledger.now) }
    expect(ledger.job().metadata).toEqual(
      Object.fromEntries(Object.entries(stage).map(([key, value]) => [`stage.chunk.${key}`, value])),
    )
    ledger.claim()
    ledger.report({ status: 'SUCCEEDED', output: { many: 1 }, output_count: 9 })
    ledger.claim()
    ledger.report({ status: 'SUCCEEDED', output: {} })
    expect(ledger.job().metadata).toMatchObject({
      'stage.embed.output_count': 9,
      'stage.index.output_count': 0,
    })
  })

  it('a step may be given back until a time, under a name of its own', () => {
    const ledger = new KernelLedger()
    ledger.submit()
    ledger.claim()
    const error = { code: 'CIRCUIT_OPEN', message: 'too many failures' }
    ledger.run({ type: 'releaseStep', ...ledger.fence(), error, delay_ms: 60_000 })
    expect(ledger.step()).toMatchObject({
      state: 'FAILED_RETRY',
      released: 1,
      retry_at: toIso(ledger.now + 60_000),
      last_error_code: 'CIRCUIT_OPEN',
    })
  })
})
