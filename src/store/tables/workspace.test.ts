import { expect, it } from 'vitest'
import { change, type Given, refuse } from '../../core/decision.ts'
import { EVERYBODY, type QueueRecord } from '../../core/queue/record.ts'
import type { StoredCell } from './cell.ts'
import { Missing } from './missing.ts'
import { Workspace } from './workspace.ts'
import { writeSetOf } from './write-set.ts'

const KEY = { kind: 'queue', tenant_id: EVERYBODY, id: 'read' } as const

function queue(state: QueueRecord['state'], version: number): StoredCell {
  const aggregate: QueueRecord = {
    kind: 'queue',
    tenant_id: EVERYBODY,
    queue: 'read',
    state,
    state_since: '2026-01-01T00:00:00.000Z',
    concurrency: null,
    rate: null,
    created_at: '2026-01-01T00:00:00.000Z',
    updated_at: '2026-01-01T00:00:00.000Z',
    etag: String(version),
  }
  return { key: KEY, aggregate, version, holds: [], born: null }
}

// Two decisions in one group: the first rested on a queue as it was remembered, the second had it read again. Only what
// was read last was checked when all of it was written, and the first was kept though its queue had been paused.
it('has everything checked that a decision rested on, also when it was read again since', () => {
  const remembered = { cell: () => queue('running', 1), slot: () => undefined }
  const space = new Workspace({ now: 0, ids: { next: () => 'id' }, remembered })
  const seen: (string | undefined)[] = []
  const look = (given: Given) => {
    seen.push(given.get('queue', EVERYBODY, 'read')?.state)
  }
  const first = space.try((given) => {
    look(given)
    return change(null, { claims: [], signals: [{ tenant_id: 't', topic: 'x' }] })
  })
  expect(first).toEqual({ ok: true, answer: null })
  const refusal = { code: 'QUEUE_PAUSED', message: 'm', next: 'n', details: {} } as const
  const second = (given: Given) => {
    look(given)
    return refuse(refusal)
  }
  const missing = space.try(second)
  expect(missing).toBeInstanceOf(Missing)
  const { aggregate, version } = queue('paused', 2)
  const row = { ...KEY, version, body: JSON.stringify(aggregate) }
  space.know({ jobs: [], records: [row], claims: [], slots: [], refusals: [], rows: [] }, missing as Missing)
  expect(space.try(second)).toEqual({ ok: false, refusal })
  expect(seen).toEqual(['running', 'running', 'paused'])
  expect(writeSetOf(space)?.verify).toEqual([{ ...KEY, version: 1 }])
})
