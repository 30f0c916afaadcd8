import { expect, it } from 'vitest'
import { type ChangeLine, changedAggregates } from './line.ts'

it('what a line changes is found by the job that it lists when no history tells of it', () => {
  const line: ChangeLine = {
    seq: 9,
    batch: [9, 1, 0],
    puts: [
      { kind: 'outbox', tenant_id: 't', id: 'row', set: { tries: 1 } },
      { kind: 'job', tenant_id: 't', id: 'job-1', set: { ready: null } },
    ],
  }
  expect([...changedAggregates(line)]).toEqual([{ kind: 'job', tenant_id: 't', id: 'job-1' }])
})
