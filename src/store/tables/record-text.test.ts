import { expect, it } from 'vitest'
import type { JobRecord, StepRecord } from '../../core/job/record.ts'
import { jobText, stepText } from './record-text.ts'

const job = (fields: object) => fields as JobRecord

it('says what differs, as JSON has it', () => {
  const before = job({ state: 'QUEUED', priority: 2, tags: [], payload: null, due_at: null, etag: '1' })
  const after = job({
    ...before,
    state: 'a "b"\n\u2028',
    priority: 0,
    payload: { a: [1, null] },
    unlimited: false,
  })
  expect(JSON.parse(jobText(after, before))).toEqual({
    state: 'a "b"\n\u2028',
    priority: 0,
    payload: { a: [1, null] },
    unlimited: false,
  })
  expect(jobText(before, before)).toBe('{}')
})

it('says null where something was, and nothing of what is not known', () => {
  const before = { lease_id: 'l', holder: 'h', limits: [] } as unknown as StepRecord
  const after = { lease_id: null, holder: undefined, limits: [] } as unknown as StepRecord
  expect(stepText(after, before)).toBe('{"lease_id":null}')
})

it('what was written of one record is never said of another', () => {
  const texts = ['QUEUED', 'DONE', 'QUEUED', 'x'.repeat(500), 'x'.repeat(500), 'DONE']
  for (const error_message of texts) {
    expect(JSON.parse(jobText(job({ error_message }), {}))).toEqual({ error_message })
    expect(JSON.parse(jobText(job({ error_code: error_message }), {}))).toEqual({ error_code: error_message })
  }
})
