import { expect, it } from 'vitest'
import { changedJob, chunkOf, entry, newJob, setOf } from '../../../test/tables/sample-set.ts'
import { packJobs, packSet, unpackJobs, unpackSet } from './packing.ts'

it('comes out as it went in', () => {
  const key = { tenant_id: 't', job_id: 'a' }
  const set = setOf({
    newJobs: [newJob('a', { holds: ['x'], doc_id: 'd' }), newJob('b')],
    jobs: [changedJob('c', 1), changedJob('d', 3, { is_ended: true, state: 'SUCCEEDED' })],
    ready: { adds: [{ ...key, queue: 'q', group: 'g', rank: 1.5 }], drops: [] },
    due: { adds: [], drops: [{ ...key, due_at: 7 }] },
    waits: { adds: [{ ...key, topic: 'x' }], drops: [{ ...key, topic: 'y' }] },
    claims: [{ tenant_id: 't', key: 'k', owner: 'a' }],
    chunk: chunkOf(entry('a')),
  })
  expect(unpackSet(structuredClone(packSet(set)))).toEqual(set)
  expect(unpackSet(packSet(setOf({})))).toEqual(setOf({}))
  const rows = [
    { ...key, version: 1, holds: [], fixed: '{}', moving: null },
    { ...key, version: 2, holds: ['x'], fixed: '{}', moving: '{}' },
  ]
  expect(unpackJobs(packJobs(rows))).toEqual(rows)
})
