import { expect, it } from 'vitest'
import type { LedgerRecord } from '../../core/aggregate.ts'
import { statesOf } from '../../core/machine.ts'
import { runMachine } from '../../core/machines/run.ts'
import { StateCounts } from './state-counts.ts'

function run(state: string, tenant_id = 't'): LedgerRecord {
  return { kind: 'run', tenant_id, state } as LedgerRecord
}

it('counts by kind, tenant and state, and names every state', () => {
  const counts = new StateCounts()
  counts.replace(null, run('pending'))
  counts.replace(null, run('pending'))
  counts.replace(null, run('pending', 'z'))
  counts.replace(run('pending'), run('running'))
  counts.replace(run('running'), run('running'))
  expect(counts.read('run', 't')).toMatchObject({ pending: 1, running: 1, failed: 0 })
  expect(counts.read('run')).toMatchObject({ pending: 2, running: 1 })
  expect(Object.keys(counts.read('run', 'nobody'))).toEqual(statesOf(runMachine))
  expect(Object.values(counts.read('job')).every((n) => n === 0)).toBe(true)
})
