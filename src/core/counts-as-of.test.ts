import { expect, it } from 'vitest'
import type { AuditRecord } from './audit.ts'
import { CountsInHindsight } from './counts-as-of.ts'

function moved(fields: Partial<AuditRecord>): AuditRecord {
  return { event: 'moved', kind: 'document', duration_seconds: 1, ...fields } as AuditRecord
}

it('takes back moves, and documents that were new', () => {
  const hindsight = new CountsInHindsight({ fetched: 2, failed: 1 })
  hindsight.takeBack(moved({ old_state: 'fetching', new_state: 'failed' }))
  hindsight.takeBack(moved({ old_state: 'fetching', new_state: 'fetched' }))
  hindsight.takeBack(moved({ old_state: 'pending', new_state: 'fetching', duration_seconds: null }))
  expect(hindsight.counts()).toEqual({ fetched: 1, fetching: 1, failed: 0 })
})

it('takes back jobs that were new, and nothing that did not move', () => {
  const hindsight = new CountsInHindsight({ QUEUED: 1, SUCCEEDED: 1 })
  hindsight.takeBack(moved({ kind: 'job', old_state: null, new_state: 'QUEUED', duration_seconds: null }))
  hindsight.takeBack(moved({ kind: 'job', old_state: 'SUCCEEDED', new_state: 'CANCELLED', event: 'refused' }))
  expect(hindsight.counts()).toEqual({ QUEUED: 0, SUCCEEDED: 1 })
})
