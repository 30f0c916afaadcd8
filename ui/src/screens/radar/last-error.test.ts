import { expect, test } from 'vitest'
import type { HistoryRecord } from '../../api/live.ts'
import type { StageJob } from '../../api/stage-jobs.ts'
import { atStage, lastErrorOf } from './last-error.ts'

function record(over: Partial<HistoryRecord>): HistoryRecord {
  return {
    job_id: 'j',
    error_type: null,
    error_message: null,
    timestamp: 0,
    metadata: { step_id: 'parse' },
    ...over,
  } as HistoryRecord
}

const failed: StageJob = {
  tenant_id: 't',
  job_id: 'f',
  state: 'FAILED_FINAL',
  updated_at: '1970-01-01T00:01:00Z',
  request_type: 'R',
  error_code: 'ENCRYPTED',
  error_message: 'It needs a password',
}

test('the later error is told, from whichever side', () => {
  const early = record({ error_type: 'HTTP_503', error_message: 'Overloaded', timestamp: 30 })
  const late = record({ error_type: 'TIMEOUT', timestamp: 90 })
  expect(lastErrorOf([early], failed)).toMatchObject({ job_id: 'f', code: 'ENCRYPTED' })
  expect(lastErrorOf([late, early], failed)).toMatchObject({ job_id: 'j', code: 'TIMEOUT', message: '' })
})

test('none when nothing went wrong', () => {
  expect(lastErrorOf([record({})], undefined)).toBeNull()
  expect(lastErrorOf([], { ...failed, error_code: null })).toBeNull()
})

test('entries of other stages are left out', () => {
  const other = record({ metadata: { step_id: 'embed' } })
  expect(atStage([other, record({})], 'parse')).toHaveLength(1)
})
