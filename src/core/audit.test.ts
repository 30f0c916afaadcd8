import { describe, expect, it } from 'vitest'
import { type AuditEntry, expandHop, hopsOf, isQuiet } from './audit.ts'

const entry: AuditEntry = {
  event: 'moved',
  tenant_id: 't1',
  kind: 'step',
  id: 'j1/ocr',
  doc_id: 'doc:1',
  job_id: 'j1',
  path: ['DISPATCHING', 'AWAITING_ACK', 'IN_PROGRESS', 'FAILED_FINAL'],
  timestamp: 1_735_787_045.5,
  adapter: 'ocr-service',
  error_type: 'BROKEN',
  error_message: 'it broke',
  traceback: 'at work',
  retry_count: 2,
  max_retries: 2,
  duration_seconds: 12.5,
  metadata: { attempt_no: 3 },
  actor: 'worker-1',
  reason: 'last try',
}

describe('an entry of the history', () => {
  it('is read as one record per state passed through, in order', () => {
    expect(hopsOf(entry)).toBe(3)
    const records = [0, 1, 2].map((hop) => expandHop(entry, hop, 41 + hop))
    expect(
      records.map(({ seq, cursor, old_state, new_state }) => [seq, cursor, old_state, new_state]),
    ).toEqual([
      [41, '41', 'DISPATCHING', 'AWAITING_ACK'],
      [42, '42', 'AWAITING_ACK', 'IN_PROGRESS'],
      [43, '43', 'IN_PROGRESS', 'FAILED_FINAL'],
    ])
  })

  it('A32: the error belongs to the last state entered, the duration to the first one left', () => {
    const records = [0, 1, 2].map((hop) => expandHop(entry, hop, hop))
    expect(records.map(({ error_type }) => error_type)).toEqual([null, null, 'BROKEN'])
    expect(records.map(({ error_message }) => error_message)).toEqual([null, null, 'it broke'])
    expect(records.map(({ traceback }) => traceback)).toEqual([null, null, 'at work'])
    expect(records.map(({ duration_seconds }) => duration_seconds)).toEqual([12.5, 0, 0])
  })

  it('keeps everything else, and not the path', () => {
    const { path: _, ...rest } = entry
    expect(expandHop(entry, 2, 7)).toEqual({
      ...rest,
      seq: 7,
      cursor: '7',
      old_state: 'IN_PROGRESS',
      new_state: 'FAILED_FINAL',
      duration_seconds: 0,
    })
  })

  it('is quiet when nothing came of it', () => {
    expect((['moved', 'refused', 'ignored'] as const).map(isQuiet)).toEqual([false, true, true])
  })

  it('has no old state for a record that is new', () => {
    const born = { ...entry, path: [null, 'QUEUED'], duration_seconds: null }
    expect(hopsOf(born)).toBe(1)
    expect(expandHop(born, 0, 1)).toMatchObject({
      old_state: null,
      new_state: 'QUEUED',
      duration_seconds: null,
    })
  })
})
