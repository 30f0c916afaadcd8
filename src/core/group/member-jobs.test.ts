import { describe, expect, it } from 'vitest'
import { protocolOf, pulled } from '../../../test/fixtures/job-commands.ts'
import { KernelLedger } from '../../../test/fixtures/kernel-ledger.ts'
import { BEGUN_JOB, couldStart, countsAsCancelled, countsAsFailed, OPEN_JOB } from './member-jobs.ts'

describe('how a job counts for its run', () => {
  it('is open until it ends, and has begun once it left the queue, unless it was cancelled', () => {
    expect(OPEN_JOB).toEqual(['QUEUED', 'DISPATCHING', 'IN_PROGRESS', 'CANCELLING'])
    expect(BEGUN_JOB).toEqual(['DISPATCHING', 'IN_PROGRESS', 'CANCELLING', 'SUCCEEDED', 'FAILED_FINAL'])
  })

  it('has failed unless another took over; was cancelled unless it was left out', () => {
    const ledger = new KernelLedger()
    const rungs = [{ protocol: protocolOf(pulled('codex')), payload: null, priority: 1 }] as const
    ledger.submit({ rungs })
    ledger.submit({ job_id: 'j2' })
    ledger.submit({ job_id: 'skipped', depends_on: ['j2'], on_dependency_failure: 'skip' })
    expect([couldStart(ledger.job('j2')), couldStart(ledger.job('skipped'))]).toEqual([true, false])
    expect(countsAsFailed(ledger.job())).toBe(true)
    for (const id of ['j1', 'j2']) {
      ledger.claim(id)
      ledger.fail('NON_RETRYABLE', id)
    }
    expect([countsAsFailed(ledger.job()), countsAsFailed(ledger.job('j2'))]).toEqual([false, true])
    ledger.pass(0)
    ledger.submit({ job_id: 'stopped' })
    ledger.cancel('stopped')
    expect([countsAsCancelled(ledger.job('skipped')), countsAsCancelled(ledger.job('stopped'))]).toEqual([
      false,
      true,
    ])
  })
})
