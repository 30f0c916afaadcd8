import { describe, expect, it } from 'vitest'
import type { AuditRecord } from '../../core/audit.ts'
import { type EventFilter, selectionOf } from './selection.ts'

const RECORD = {
  event: 'moved',
  tenant_id: 't1',
  kind: 'job',
  id: 'j1',
  job_id: 'j1',
  doc_id: 'd1',
  old_state: 'PENDING',
  new_state: 'QUEUED',
  adapter: 'ocr',
  error_type: 'TIMEOUT',
  actor: 'ann',
  metadata: { run_id: 'r1', workstream_id: 'w1' },
} as unknown as AuditRecord

/** Nothing of it, in a form that a record may have. */
function otherThan(field: string, value: unknown): unknown {
  if (field === 'metadata') return {}
  return field === 'error_type' ? null : `not ${String(value).slice(1)}`
}

describe('selection', () => {
  it.each([
    { tenant_id: 't1' },
    { kind: ['step', 'job'] },
    { id: 'j1' },
    { job_id: 'j1' },
    { doc_id: 'd1' },
    { state: ['FAILED_FINAL', 'QUEUED'] },
    { event: ['refused', 'moved'] },
    { actor: 'ann' },
    { adapter: 'ocr' },
    { error_type: 'TIMEOUT' },
    { run_id: 'r1' },
    { workstream_id: 'w1' },
    { level: ['error', 'warn'] },
    { q: 'TIMEo' },
    {},
  ] satisfies EventFilter[])('shows what %o asks for, and nothing else', (filter) => {
    const { matches } = selectionOf(filter, null)
    expect(matches(RECORD)).toBe(true)
    const other = Object.fromEntries(
      Object.entries(RECORD).map(([field, value]) => [field, otherThan(field, value)]),
    )
    expect(matches(other as unknown as AuditRecord)).toBe(Object.keys(filter).length === 0)
  })

  it('counts a run itself to the run, and no other', () => {
    const run = (id: string) => ({ ...RECORD, kind: 'run', id, metadata: { run_id: 'r1' } }) as const
    const { matches } = selectionOf({ run_id: 'r1' }, null)
    expect([matches(run('r1')), matches(run('r2'))]).toEqual([true, false])
  })

  it('shows nothing of tenants that one may not see, whatever is asked for', () => {
    const own = new Set(['t2', 't3'])
    for (const filter of [{}, { tenant_id: 't1' }, { id: 'j1' }]) {
      expect(selectionOf(filter, own).matches(RECORD)).toBe(false)
    }
    expect(selectionOf({}, new Set(['t1'])).matches(RECORD)).toBe(true)
  })

  it('has the ledger look for as little as it can', () => {
    const filter: EventFilter = { kind: ['job'], state: ['QUEUED', 'PENDING'], run_id: 'r1' }
    expect(selectionOf(filter, null).query).toMatchObject({
      kind: 'job',
      state: undefined,
      tenant_id: undefined,
    })
    expect(selectionOf(filter, new Set(['t1'])).query).toMatchObject({ tenant_id: 't1' })
    expect(selectionOf(filter, new Set(['t1', 't2'])).query).toMatchObject({ tenant_id: undefined })
    expect(selectionOf({ tenant_id: 't1' }, new Set(['t2', 't3'])).query).toBeNull()
    expect(selectionOf({}, new Set()).query).toBeNull()
  })

  it('is the same for all who are shown the same', () => {
    const one = selectionOf({ id: 'a' }, new Set(['t1', 't2']))
    expect(selectionOf({ id: 'a' }, new Set(['t2', 't1'])).key).toBe(one.key)
    expect(selectionOf({ id: 'a' }, null).key).not.toBe(one.key)
    expect(selectionOf({ id: 'b' }, new Set(['t1', 't2'])).key).not.toBe(one.key)
  })
})
