import { expect, it } from 'vitest'
import type { AuditRecord } from '../../core/audit.ts'
import { frameOf } from './frame.ts'

it('tells with every entry how much it has to be cared about', () => {
  const record = {
    cursor: '7',
    seq: 7,
    event: 'moved',
    kind: 'job',
    new_state: 'FAILED_FINAL',
    error_type: null,
  }
  const { bytes, cursor } = frameOf(record as AuditRecord)
  const [id, data] = bytes.toString().split('\n')
  expect([cursor, id]).toEqual(['7', 'id: 7'])
  expect(JSON.parse((data as string).slice('data: '.length))).toEqual({ ...record, level: 'error' })
})
