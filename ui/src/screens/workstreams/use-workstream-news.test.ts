import { expect, test } from 'vitest'
import type { HistoryRecord } from '../../api/live.ts'
import { concerns } from './use-workstream-news.ts'

const which = { tenant: 't', id: 'w' }

function record(over: Partial<HistoryRecord>): HistoryRecord {
  return { tenant_id: 't', kind: 'job', id: 'j', metadata: {}, ...over } as HistoryRecord
}

test('news of a workstream are those of itself and of its jobs', () => {
  expect(concerns(record({ kind: 'workstream', id: 'w' }), which)).toBe(true)
  expect(concerns(record({ metadata: { workstream_id: 'w' } }), which)).toBe(true)
  expect(concerns(record({ kind: 'workstream', id: 'other' }), which)).toBe(false)
  expect(concerns(record({ id: 'w' }), which)).toBe(false)
  expect(concerns(record({ tenant_id: 'u', metadata: { workstream_id: 'w' } }), which)).toBe(false)
})
