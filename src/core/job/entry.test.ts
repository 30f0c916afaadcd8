import { describe, expect, it } from 'vitest'
import { protocolOf, pushed, TENANT } from '../../../test/fixtures/job-commands.ts'
import { KernelLedger } from '../../../test/fixtures/kernel-ledger.ts'
import type { JobAggregate } from '../aggregate.ts'
import { entryOf } from './entry.ts'

describe('a job as stage code sees it', () => {
  it('is in bootstrap until somebody answers, then at its stage', () => {
    const ledger = new KernelLedger()
    ledger.submit({ protocol: protocolOf(pushed('chunk')) })
    const entry = () => entryOf(ledger.get('job', TENANT, 'j1') as JobAggregate)
    expect(entry()).toMatchObject({ status: 'processing', stage: 'bootstrap' })
    ledger.publish()
    ledger.ack()
    expect(entry()).toMatchObject({ status: 'processing', stage: 'chunk' })
  })
})
