import { describe, expect, it } from 'vitest'
import { protocolOf, pulled } from '../../../test/fixtures/job-commands.ts'
import { KernelLedger } from '../../../test/fixtures/kernel-ledger.ts'
import { withoutLoaded } from '../../../test/fixtures/not-loaded.ts'
import { decideJob } from './decide.ts'

const POLICY = { max_attempts: 2, backoff: { kind: 'list', delaysMs: [0] } } as const
const FETCH = pulled('fetch', { document: { enters: 'fetching', leaves: 'fetched' }, policy: POLICY })
const PARSE = pulled('parse', { document: { enters: 'parsing', leaves: 'parsed' }, policy: POLICY })

function submitted(...steps: readonly ReturnType<typeof pulled>[]): KernelLedger {
  const ledger = new KernelLedger()
  ledger.submit({ protocol: protocolOf(...steps), doc_id: 'd1' })
  return ledger
}

function path(ledger: KernelLedger): readonly string[] {
  return ledger
    .records('document', 'd1')
    .map(({ event, new_state }) => (event === 'moved' ? new_state : `${event} ${new_state}`))
}

describe('a document moves with the stages that work on it', () => {
  it('enters a state when the stage begins and leaves it when that is done, in the same commit', () => {
    const ledger = submitted(FETCH, PARSE)
    ledger.claim()
    expect(ledger.get('document', 't1', 'd1')).toMatchObject({
      state: 'fetching',
      adapter: 'fetch-service',
      metadata: { job_id: 'j1', step_id: 'fetch' },
    })
    ledger.succeed()
    ledger.claim()
    ledger.succeed()
    expect(path(ledger)).toEqual(['fetching', 'fetched', 'parsing', 'parsed'])
  })

  it('is being retried between two attempts, and fails with the last', () => {
    const ledger = submitted(FETCH)
    ledger.claim()
    ledger.fail('RETRYABLE')
    ledger.pass(0)
    ledger.claim()
    ledger.fail('RETRYABLE')
    expect(path(ledger)).toEqual(['fetching', 'retrying', 'fetching', 'failed'])
    expect(ledger.get('document', 't1', 'd1')).toMatchObject({
      error_type: 'BROKEN',
      error_message: 'it broke',
    })
  })

  it('A14: an edge it does not have is recorded, and never keeps the stage', () => {
    const ledger = submitted(PARSE)
    ledger.claim()
    ledger.succeed()
    expect(ledger.job().state).toBe('SUCCEEDED')
    expect(path(ledger)).toEqual(['refused parsing', 'refused parsed'])
    expect(ledger.get('document', 't1', 'd1')).toBeNull()
  })

  it('stays where it is when it is there already, when the stage names no state, and when the job has no document', () => {
    const ledger = submitted(FETCH)
    ledger.run({
      type: 'updateDocument',
      tenant_id: 't1',
      doc_id: 'd1',
      state: 'fetching',
      actor: 'a',
      reason: null,
    })
    ledger.claim()
    expect(path(ledger)).toEqual(['fetching'])
    const silent = submitted(pulled('fetch', { document: { leaves: 'skipped' }, policy: POLICY }))
    silent.claim()
    silent.fail('RETRYABLE')
    silent.pass(0)
    silent.claim()
    silent.succeed()
    expect(path(silent)).toEqual(['skipped'])
    const without = new KernelLedger()
    without.submit({ protocol: protocolOf(FETCH) })
    without.claim()
    without.cancel()
    without.fail('RETRYABLE')
    expect(without.contents().filter(({ kind }) => kind === 'document')).toEqual([])
  })

  it('fails to another state if told so', () => {
    const fails = { enters: 'fetching', fails: 'failed' } as const
    const ledger = submitted(pulled('fetch', { document: fails }))
    ledger.claim()
    ledger.fail('NON_RETRYABLE')
    expect(path(ledger)).toEqual(['fetching', 'failed'])
  })

  // Steps that a job takes over are told in the history as new and done. They moved the document once more: one that
  // another job was fetching was said to be fetched, and one that had failed got a refusal for every such step.
  it('does not move with steps that a job takes over when it is run again', () => {
    const ledger = submitted(FETCH, PARSE)
    ledger.claim()
    ledger.succeed()
    ledger.claim()
    ledger.fail('NON_RETRYABLE')
    const told = path(ledger)
    expect(told).toEqual(['fetching', 'fetched', 'parsing', 'failed'])
    const again = { type: 'runAgain', tenant_id: 't1', job_id: 'j1', actor: 'a', reason: null } as const
    ledger.run({ ...again, new_job_id: 'j2', from_step: 'parse', idempotency_key: null, inFlightLimit: 9 })
    expect(ledger.job('j2')).toMatchObject({ current_step_id: 'parse' })
    expect(path(ledger)).toEqual(told)
  })

  it('a failure that another job takes over is told of the step that failed', () => {
    // The new job's step of the same name was taken for the one that failed: its states were used, and its job was named.
    const other = {
      ...protocolOf(pulled('fetch', { document: { fails: 'skipped' } })),
      request_type: 'OTHER',
    }
    const rungs = [{ protocol: other, payload: null, priority: 1 }] as const
    const ledger = new KernelLedger()
    ledger.submit({ protocol: protocolOf(FETCH), doc_id: 'd1', rungs })
    ledger.claim()
    ledger.fail('NON_RETRYABLE')
    expect(path(ledger)).toEqual(['fetching', 'failed'])
    expect(ledger.records('document', 'd1').at(-1)).toMatchObject({ metadata: { job_id: 'j1' } })
    const without = new KernelLedger()
    without.submit({ protocol: protocolOf(pulled('fetch')), doc_id: 'd1', rungs })
    without.claim()
    without.fail('NON_RETRYABLE')
    expect(without.job('j1~2').state).toBe('QUEUED')
    expect(path(without)).toEqual([])
  })

  it('is asked for, and what is done to it is done once', () => {
    const ledger = submitted(FETCH)
    const claim = { type: 'claimStep', tenant_id: 't1', job_id: 'j1', actor: 'w', reason: null } as const
    expect(decideJob(claim, withoutLoaded(ledger, 'document'))).toMatchObject({
      kind: 'need',
      keys: [{ kind: 'document', tenant_id: 't1', id: 'd1' }],
    })
  })
})
