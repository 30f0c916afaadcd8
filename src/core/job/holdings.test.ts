import { expect, it } from 'vitest'
import { protocolOf, pulled, submitOf } from '../../../test/fixtures/job-commands.ts'
import { KernelLedger } from '../../../test/fixtures/kernel-ledger.ts'
import type { JobAggregate } from '../aggregate.ts'
import { present } from '../must.ts'
import { holdingsOf } from './holdings.ts'

/** What a ledger of its own says the job holds. */
function taken(ledger: KernelLedger, job_id: string) {
  const aggregate = present(ledger.get('job', 't1', job_id), 'the job') as JobAggregate
  const { slots, signals } = holdingsOf(aggregate)
  return {
    slots: slots.map(({ key, verb, owner }) => `${verb} ${key} ${owner}`),
    signals: signals.map(({ topic }) => topic),
  }
}

const limited = { ...pulled('only'), limits: [{ key: 'gpu', max: 1 }] }

it('is a place in flight; what a running attempt takes; and what is waited for', () => {
  const ledger = new KernelLedger()
  ledger.run(submitOf({ job_id: 'a', protocol: protocolOf(limited) }))
  ledger.run(submitOf({ job_id: 'b', protocol: protocolOf(limited), depends_on: ['a'] }))
  expect(taken(ledger, 'a')).toEqual({ slots: ['take in-flight a'], signals: [] })
  expect(taken(ledger, 'b')).toEqual({
    slots: ['take in-flight b'],
    signals: ['job:a'],
  })
  ledger.run({
    type: 'claimStep',
    tenant_id: 't1',
    job_id: 'a',
    worker: 'ann',
    actor: 'ann',
    reason: null,
  })
  expect(taken(ledger, 'a').slots).toEqual(['take in-flight a', 'take gpu a'])
})

it('is nothing once it has ended', () => {
  const ledger = new KernelLedger()
  ledger.run(submitOf({ job_id: 'a', protocol: protocolOf(limited) }))
  ledger.run({ type: 'cancelJob', tenant_id: 't1', job_id: 'a', actor: 'ann', reason: null })
  expect(taken(ledger, 'a')).toEqual({ slots: [], signals: [] })
})
