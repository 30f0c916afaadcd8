import { describe, expect, it } from 'vitest'
import { protocolOf, pulled } from '../../../test/fixtures/job-commands.ts'
import { KernelLedger } from '../../../test/fixtures/kernel-ledger.ts'
import { toIso } from '../time.ts'
import type { ReportStage, StageReport } from './commands.ts'
import { entryOf } from './entry.ts'
import { BOOTSTRAP } from './protocol.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const EXTERNAL = protocolOf(pulled(BOOTSTRAP, { delivery: 'external', service: 'dagster' }))
const ERROR = { code: 'Error', message: 'no more memory' }

function says(report: StageReport, job_id = 'j1'): ReportStage {
  return { type: 'reportStage', tenant_id: 't1', job_id, actor: 'dagster', reason: null, report }
}

const prepared = (metadata = {}): StageReport => ({
  what: 'prepared',
  pipeline_name: 'pdf-two-phase',
  metadata,
})
const started = (stage: string): StageReport => ({ what: 'started', stage })
const retried = (stage: string): StageReport => ({ what: 'retried', stage, error: null })
const succeeded = (stage: string, more = {}): StageReport => ({
  what: 'succeeded',
  stage,
  attempts: null,
  output_count: null,
  duration_ms: null,
  output: null,
  ...more,
})
const failed = (stage: string | null): StageReport => ({ what: 'failed', stage, error: ERROR })
const completed: StageReport = { what: 'completed', metadata: {} }

function external(...reports: readonly StageReport[]): KernelLedger {
  const ledger = new KernelLedger()
  ledger.submit({ protocol: EXTERNAL })
  for (const report of reports) ledger.run(says(report))
  return ledger
}

function entry(ledger: KernelLedger) {
  return entryOf(ledger.get('job', 't1', 'j1') as NonNullable<ReturnType<typeof ledger.get<'job'>>>)
}

describe('stages that another scheduler runs', () => {
  it('A50: a stage that succeeds leaves exactly its four facts', () => {
    const ledger = external(
      prepared(),
      succeeded('chunk', { attempts: 2, output_count: 5, duration_ms: 1200 }),
    )
    expect(entry(ledger)).toMatchObject({ status: 'processing', stage: 'chunk', retry_count_per_stage: {} })
    const own = Object.entries(entry(ledger).metadata).filter(([key]) => key.startsWith('stage.'))
    expect(Object.fromEntries(own)).toEqual({
      'stage.chunk.attempts': 2,
      'stage.chunk.output_count': 5,
      'stage.chunk.duration_ms': 1200,
      'stage.chunk.completed_at': toIso(ledger.now),
    })
  })

  it('A50: what nobody counted is counted here', () => {
    const ledger = external(prepared(), started('chunk'), retried('chunk'))
    ledger.now += 1200
    ledger.run(says(succeeded('chunk', { output: [1, 2, 3] })))
    expect(entry(ledger).metadata).toMatchObject({
      'stage.chunk.attempts': 2,
      'stage.chunk.output_count': 3,
      'stage.chunk.duration_ms': 1200,
    })
  })

  it('A51: a stage that throws fails the job with its message', () => {
    const ledger = external(prepared(), succeeded('chunk'), started('embed'), failed('embed'))
    expect(entry(ledger)).toMatchObject({ status: 'failed', stage: 'embed', error_reason: 'no more memory' })
    expect(ledger.states()).toEqual(['FAILED_FINAL', 'SUCCEEDED', 'SUCCEEDED', 'FAILED_FINAL'])
  })

  it('A51: a failure before the first stage is recorded as well, prepared or not, and so is one between two', () => {
    for (const before of [[], [prepared()]]) {
      const ledger = external(...before, failed(null))
      expect(entry(ledger)).toMatchObject({
        status: 'failed',
        stage: 'bootstrap',
        error_reason: 'no more memory',
      })
    }
    const between = external(prepared(), succeeded('chunk'), failed(null))
    expect(entry(between)).toMatchObject({ status: 'failed', stage: 'chunk', error_reason: 'no more memory' })
    const during = external(prepared(), started('chunk'), failed(null))
    expect(during.states()).toEqual(['FAILED_FINAL', 'SUCCEEDED', 'FAILED_FINAL'])
  })

  it('A52: preparing a run keeps what it is given, and is processing in bootstrap', () => {
    const ledger = external()
    expect(entry(ledger)).toMatchObject({ status: 'queued', stage: 'pending', pipeline_name: null })
    ledger.run(says(prepared({ pipeline_version: 'v2', context: { source: 'tests' }, payload: { seed: 7 } })))
    expect(entry(ledger)).toMatchObject({
      pipeline_name: 'pdf-two-phase',
      status: 'processing',
      stage: 'bootstrap',
      metadata: { pipeline_version: 'v2', context: { source: 'tests' }, payload: { seed: 7 } },
    })
    ledger.run(says(prepared({ context: null })))
    expect(entry(ledger).metadata).toEqual({ pipeline_version: 'v2', payload: { seed: 7 } })
  })

  it('A53: every retry counts, and the job goes on', () => {
    const ledger = external(prepared(), retried('chunk'))
    expect(entry(ledger).retry_count_per_stage).toEqual({ chunk: 1 })
    ledger.run(says({ what: 'retried', stage: 'chunk', error: ERROR }))
    expect(entry(ledger)).toMatchObject({
      retry_count_per_stage: { chunk: 2 },
      status: 'processing',
      stage: 'chunk',
    })
    expect(ledger.records('step', 'j1/chunk').map(({ error_type }) => error_type)).toContain('RETRIED')
    for (let n = 0; n < 20; n++) ledger.run(says(retried('chunk')))
    expect(entry(ledger).retry_count_per_stage).toEqual({ chunk: 22 })
  })

  it('A53: what has ended does not go back to processing', () => {
    const ledger = external(prepared(), succeeded('chunk'), completed)
    expect(entry(ledger)).toMatchObject({ status: 'completed', stage: 'chunk' })
    for (const report of [
      prepared(),
      started('embed'),
      retried('chunk'),
      failed('chunk'),
      { what: 'attempted' } as const,
    ]) {
      expect(ledger.refusalOf(says(report))).toMatchObject({
        code: 'INVALID_STATE_TRANSITION',
        details: { from: 'SUCCEEDED', to: 'IN_PROGRESS', legal: [] },
      })
    }
    const before = ledger.contents()
    ledger.run(says(completed))
    expect(ledger.contents()).toEqual(before)
    expect(ledger.last()).toMatchObject({ event: 'ignored' })
  })

  it('a run can end without any stage, and says once more what there is to know', () => {
    const ledger = external(
      { what: 'attempted' },
      { what: 'attempted' },
      { what: 'completed', metadata: { pages: 3 } },
    )
    expect(entry(ledger)).toMatchObject({
      status: 'completed',
      stage: 'bootstrap',
      attempts: 2,
      metadata: { pages: 3 },
    })
  })

  it('there is an end to how many stages a run may report', () => {
    const ledger = external(prepared())
    for (let n = 0; n < 200; n++) ledger.run(says(succeeded(`stage-${n}`)))
    expect(ledger.refusalOf(says(started('one-more')))).toMatchObject({ code: 'STAGE_LIMIT', field: 'stage' })
    ledger.run(says(completed))
    expect(ledger.job().state).toBe('SUCCEEDED')
  })

  it('stages come one after the other', () => {
    const ledger = external(prepared(), started('chunk'))
    for (const report of [started('embed'), completed]) {
      expect(ledger.refusalOf(says(report))).toMatchObject({
        code: 'STEP_NOT_REACHED',
        details: { step_id: 'chunk' },
      })
    }
    ledger.run(says(started('chunk')))
    ledger.run(says(succeeded('chunk')))
    expect(ledger.refusalOf(says(started('chunk')))).toMatchObject({
      code: 'INVALID_STATE_TRANSITION',
      field: 'stage',
      details: { from: 'SUCCEEDED', legal: [] },
    })
  })

  it('between two stages it may be prepared again, and a stage that is done does not fail any more', () => {
    const ledger = external(prepared(), succeeded('chunk', { output: 'one' }))
    expect(entry(ledger).metadata).toMatchObject({ 'stage.chunk.output_count': 1 })
    ledger.run(says(prepared({ pages: 3 })))
    expect(ledger.job()).toMatchObject({ state: 'IN_PROGRESS', metadata: { pages: 3 } })
    expect(ledger.refusalOf(says(failed('chunk')))).toMatchObject({
      code: 'INVALID_STATE_TRANSITION',
      field: 'stage',
    })
  })

  it('a result by callback says nothing of the stages to come', () => {
    // It ended the job, though nobody had said that there were no more stages.
    const ledger = external(started('chunk'))
    ledger.succeed()
    expect(ledger.job()).toMatchObject({ state: 'IN_PROGRESS', report_by: toIso(ledger.now + DAY) })
    ledger.run(says(completed))
    expect(ledger.job()).toMatchObject({ state: 'SUCCEEDED', report_by: null })
  })

  it('any report renews the lease of a day; silence ends the job, in a stage, before it and between two', () => {
    const ledger = external(prepared(), started('chunk'))
    ledger.pass(23 * HOUR)
    ledger.run(says({ what: 'attempted' }))
    ledger.pass(23 * HOUR)
    expect(ledger.job().state).toBe('IN_PROGRESS')
    ledger.run(says(succeeded('chunk')))
    expect(ledger.job().due_at).toBe(toIso(ledger.now + DAY))
    ledger.pass(23 * HOUR)
    ledger.run(says({ what: 'attempted' }))
    ledger.pass(DAY - 1)
    expect(ledger.job()).toMatchObject({ state: 'IN_PROGRESS', ready: null })
    ledger.pass(1)
    expect(ledger.job()).toMatchObject({
      state: 'FAILED_FINAL',
      error_code: 'LEASE_EXPIRED',
      report_by: null,
    })
    for (const silent of [external(prepared()), external(prepared(), started('chunk'))]) {
      silent.pass(DAY)
      expect(silent.job()).toMatchObject({ state: 'FAILED_FINAL', error_code: 'LEASE_EXPIRED' })
    }
  })

  it('while it is being cancelled only the end of what runs is taken', () => {
    for (const [end, states] of [
      [succeeded('chunk'), ['CANCELLED', 'SUCCEEDED', 'SUCCEEDED']],
      [failed('chunk'), ['CANCELLED', 'SUCCEEDED', 'CANCELLED']],
    ] as const) {
      const ledger = external(prepared(), started('chunk'))
      ledger.cancel()
      expect(entry(ledger).status).toBe('cancelling')
      for (const report of [prepared(), retried('chunk'), succeeded('embed')]) {
        expect(ledger.refusalOf(says(report)).code).toBe('INVALID_STATE_TRANSITION')
      }
      ledger.run(says(end))
      expect(ledger.states()).toEqual(states)
      expect(entry(ledger).status).toBe('cancelled')
    }
    const between = external(prepared(), succeeded('chunk'))
    between.cancel()
    expect(between.job().state).toBe('CANCELLED')
  })

  it('a job that may not begin yet does not', () => {
    const ledger = new KernelLedger()
    ledger.submit({ protocol: EXTERNAL, run_at: toIso(ledger.now + HOUR) })
    for (const report of [prepared(), started('chunk'), completed, failed(null)]) {
      expect(ledger.refusalOf(says(report))).toMatchObject({
        code: 'NOT_CLAIMABLE',
        details: { waits_for: 'delay' },
      })
    }
    ledger.pass(HOUR)
    ledger.run(says(prepared()))
    expect(ledger.job().state).toBe('IN_PROGRESS')
  })

  it('stages of a protocol are those it names, and workers keep their own', () => {
    const ledger = new KernelLedger()
    const stages = [
      pulled('fetch'),
      pulled('check', { delivery: 'external' }),
      pulled('sign', { delivery: 'external' }),
    ]
    ledger.submit({ protocol: protocolOf(...stages) })
    expect(ledger.refusalOf(says(started('print')))).toMatchObject({ code: 'STEP_UNKNOWN', field: 'stage' })
    expect(ledger.refusalOf(says(started('fetch')))).toMatchObject({ code: 'NOT_EXTERNAL' })
    expect(ledger.refusalOf(says(prepared()))).toMatchObject({ code: 'NOT_EXTERNAL' })
    expect(ledger.refusalOf(says(failed(null)))).toMatchObject({ code: 'NOT_EXTERNAL' })
    expect(ledger.refusalOf(says(started('check')))).toMatchObject({ code: 'STEP_NOT_REACHED' })
    ledger.claim()
    ledger.succeed()
    ledger.run(says(succeeded('check')))
    expect(ledger.refusalOf(says(completed))).toMatchObject({
      code: 'STEP_NOT_REACHED',
      details: { step_id: 'sign' },
    })
    ledger.run(says(succeeded('sign')))
    expect(ledger.states()).toEqual(['SUCCEEDED', 'SUCCEEDED', 'SUCCEEDED', 'SUCCEEDED'])
  })

  it('a crash between the step and its job does not keep the next report from being taken', () => {
    const torn = (ledger: KernelLedger, command: Parameters<KernelLedger['decide']>[0]) => {
      const decision = ledger.decide(command)
      if (decision.kind !== 'change') throw new Error('It is taken')
      ledger.write({ puts: decision.change.puts.filter(({ kind }) => kind === 'step') })
      return ledger
    }
    const by = { tenant_id: 't1', job_id: 'j1', actor: 'a', reason: null }
    const begun = torn(external(), says(prepared()))
    begun.run(says(started('chunk')))
    expect(begun.states()).toEqual(['IN_PROGRESS', 'SUCCEEDED', 'IN_PROGRESS'])
    const cancelled = torn(external(), { type: 'cancelJob', ...by })
    expect(cancelled.refusalOf(says(started('chunk'))).code).toBe('INVALID_STATE_TRANSITION')
    const stopped = external(prepared())
    stopped.cancel()
    torn(stopped, { type: 'expediteJob', ...by, priority: null, ignore: ['attempt'] })
    expect(stopped.refusalOf(says(failed(null))).code).toBe('INVALID_STATE_TRANSITION')
  })

  it('run again, it begins anew: its stages are reported again', () => {
    const ledger = external(prepared({ context: 'c' }), succeeded('chunk'), failed('embed'))
    const again = { type: 'runAgain', tenant_id: 't1', job_id: 'j1', actor: 'a', reason: null } as const
    const rest = { new_job_id: 'j2', idempotency_key: null, inFlightLimit: 9 }
    expect(ledger.refusalOf({ ...again, ...rest, from_step: 'chunk' }).code).toBe('STEP_UNKNOWN')
    ledger.run({ ...again, ...rest, from_step: null })
    expect(ledger.states('j2')).toEqual(['QUEUED', 'PENDING'])
    expect(ledger.job('j2')).toMatchObject({ metadata: { context: 'c' }, job_attempts: 0, report_by: null })
    expect(ledger.job('j2').metadata).not.toHaveProperty('stage.chunk.attempts')
  })
})
