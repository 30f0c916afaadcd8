import { describe, expect, it } from 'vitest'
import { pulled } from '../../test/fixtures/job-commands.ts'
import { requestOf } from '../../test/fixtures/live-ledger.ts'
import { engineOptions, openTestLedger, testEngine } from '../../test/fixtures/test-ledger.ts'
import type { LiveLedger } from '../runtime/live-ledger.ts'

const PROTOCOL = { protocol_id: 'p', request_type: 'TEST', steps: [pulled('only')] }

/** Everything is past its time as soon as it is written. */
async function forgetful(): Promise<LiveLedger> {
  return openTestLedger({ [engineOptions]: { keepHistoryMs: 0 }, protocols: [PROTOCOL] })
}

async function submit(ledger: LiveLedger, job_id: string): Promise<void> {
  await ledger.jobs.submit({ ...requestOf({ payload: { for: job_id } }), tenant_id: 'default', job_id })
}

async function entriesOf(ledger: LiveLedger, job_id: string): Promise<number> {
  return (await Array.fromAsync(ledger.jobs.history(job_id))).length
}

// The memory engine keeps everything; the journal has a test of its own, in which days pass.
describe.skipIf(testEngine === 'memory')(
  'history that is past its time (skipped in memory, where all is kept)',
  () => {
    it('A72: goes, but not that of open jobs, nor anything after them; what went is said', async () => {
      const ledger = await forgetful()
      await submit(ledger, 'old')
      await ledger.jobs.cancel('old')
      const before = await entriesOf(ledger, 'old')
      await submit(ledger, 'open')
      const open = await entriesOf(ledger, 'open')
      await submit(ledger, 'later')
      await ledger.jobs.cancel('later')
      await ledger.compact()
      expect(await entriesOf(ledger, 'open')).toBe(open)
      expect(await entriesOf(ledger, 'later')).toBe(before)
      const { removed_audit_records, audit_records } = await ledger.stats()
      await ledger.jobs.cancel('open')
      await ledger.jobs.get('open')
      await ledger.compact()
      const after = await ledger.stats()
      expect(after.removed_audit_records).toBeGreaterThan(removed_audit_records)
      expect(after.audit_records).toBeLessThan(audit_records)
      expect(await ledger.jobs.get('old')).toMatchObject({ state: 'CANCELLED' })
    })
  },
)
