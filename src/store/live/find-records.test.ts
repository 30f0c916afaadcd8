import { describe, expect, it } from 'vitest'
import type { RunRecord } from '../../core/group/run-record.ts'
import { toIso } from '../../core/time.ts'
import { BadCursor } from '../../errors/input-errors.ts'
import type { FindQuery } from '../query.ts'
import { findPlaced, pageOf } from './find-records.ts'

function run(run_id: string, updatedMs: number, tenant_id = 't'): RunRecord {
  const at = toIso(updatedMs)
  return {
    kind: 'run',
    tenant_id,
    run_id,
    state: 'running',
    state_since: at,
    sealed: false,
    metadata: {},
    created_at: at,
    updated_at: at,
    completed_at: null,
    etag: '1',
  }
}

const RUNS = [run('b', 1), run('a', 2), run('a', 1, 's'), run('B', 2)]

function find(query: Omit<FindQuery<'run'>, 'kind'>) {
  const whole: FindQuery<'run'> = { kind: 'run', ...query }
  const page = pageOf([findPlaced(RUNS, whole, query.order ?? 'id')], whole)
  return { ids: page.items.map(({ tenant_id, run_id }) => tenant_id + run_id), next: page.next }
}

describe('a page of records in memory', () => {
  it('sorts by tenant and id, or by time of change and then by those', () => {
    expect(find({}).ids).toEqual(['sa', 'tB', 'ta', 'tb'])
    expect(find({ direction: 'desc' }).ids).toEqual(['tb', 'ta', 'tB', 'sa'])
    expect(find({ order: 'changed' }).ids).toEqual(['sa', 'tb', 'tB', 'ta'])
    expect(find({ order: 'changed', direction: 'desc' }).ids).toEqual(['ta', 'tB', 'tb', 'sa'])
  })

  it('goes on where the page before ended', () => {
    const first = find({ limit: 3 })
    const second = find({ limit: 3, after: first.next ?? '' })
    expect([first.ids, second]).toEqual([['sa', 'tB', 'ta'], { ids: ['tb'], next: null }])
  })

  it('gives no cursor after the last full page', () => {
    expect(find({ limit: 4 }).next).toBeNull()
  })

  it('refuses a cursor of another kind, order or direction', () => {
    const after = find({ limit: 1 }).next ?? ''
    expect(() => find({ after, direction: 'desc' })).toThrow(BadCursor)
    expect(() => find({ after, order: 'changed' })).toThrow(BadCursor)
    expect(() => findPlaced([], { kind: 'job', after }, 'id')).toThrow(BadCursor)
  })
})
