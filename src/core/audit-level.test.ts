import { expect, it } from 'vitest'
import type { AuditEvent, AuditRecord } from './audit.ts'
import { type Level, leveled, levelOf } from './audit-level.ts'
import type { RecordKind } from './machines/all.ts'

it.each<[Level, AuditEvent, RecordKind, string, string | null]>([
  ['error', 'moved', 'job', 'FAILED_FINAL', 'TIMEOUT'],
  ['error', 'moved', 'document', 'failed', null],
  ['error', 'moved', 'outbox', 'FAILED_FINAL', 'UNREACHABLE'],
  ['warn', 'moved', 'outbox', 'FAILED_FINAL', 'CANCELLED'],
  ['warn', 'moved', 'step', 'FAILED_RETRY', 'TIMEOUT'],
  ['warn', 'moved', 'document', 'retrying', null],
  ['warn', 'moved', 'step', 'CANCELLED', 'CANCELLED'],
  ['warn', 'refused', 'job', 'FAILED_FINAL', null],
  ['warn', 'noted', 'outbox', 'PENDING', 'UNREACHABLE'],
  ['info', 'noted', 'job', 'FAILED_FINAL', null],
  ['info', 'moved', 'job', 'SUCCEEDED', null],
  ['info', 'moved', 'document', 'a state of long ago', null],
  ['debug', 'ignored', 'step', 'FAILED_FINAL', 'TIMEOUT'],
])('%s: %s %s %s %s', (level, event, kind, new_state, error_type) => {
  const record = { event, kind, new_state, error_type }
  expect(levelOf(record)).toBe(level)
  expect(leveled(record as AuditRecord)).toEqual({ ...record, level })
})
