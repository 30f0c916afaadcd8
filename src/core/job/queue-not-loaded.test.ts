import { expect, it } from 'vitest'
import { protocolOf, pulled, pushed } from '../../../test/fixtures/job-commands.ts'
import { KernelLedger } from '../../../test/fixtures/kernel-ledger.ts'
import { withoutLoaded } from '../../../test/fixtures/not-loaded.ts'
import { decideJob } from './decide.ts'

const to = { tenant_id: 't1', job_id: 'j1', actor: 'w', reason: null }

it.each([
  ['claimStep', pulled('only', { queue: 'shared' })],
  ['takeOutbox', pushed('only', { queue: 'shared' })],
] as const)('%s asks for the queue when it was not loaded: it may be paused', (type, step) => {
  const ledger = new KernelLedger()
  ledger.submit({ protocol: protocolOf(step) })
  expect(decideJob({ type, ...to }, withoutLoaded(ledger, 'queue'))).toEqual({
    kind: 'need',
    keys: [{ kind: 'queue', tenant_id: '*', id: 'shared' }],
  })
})
