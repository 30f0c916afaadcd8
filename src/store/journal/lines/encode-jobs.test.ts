import { expect, it } from 'vitest'
import { decideBatch } from '../../../core/batch.ts'
import type { Command } from '../../../core/command.ts'
import type { Change } from '../../../core/decision.ts'
import { submitJob } from '../../../testing/conformance/commands.ts'
import { LIMITED, MIXED } from '../../../testing/conformance/protocols.ts'
import { LiveState } from '../../live/live-state.ts'
import { BatchBuffer } from '../batch-buffer.ts'
import type { Encodable } from './encode.ts'
import { encodeGroups } from './encode-groups.ts'
import { encodeJobs } from './encode-jobs.ts'

function decided(live: LiveState, commands: readonly Command[]): Encodable {
  const decision = decideBatch(commands, {
    now: 1_735_787_045_678,
    ids: { next: () => 'an-id' },
    get: (kind, tenant_id, id) => live.decided(kind, tenant_id, id),
    ownerOf: () => undefined,
    isFull: () => false,
  })
  if (decision.kind !== 'change') throw new Error(JSON.stringify(decision))
  const { change } = decision
  return { change, audit: change.audit, first: 7, moves: live.decide(change) }
}

function written(encode: (commit: Encodable, into: BatchBuffer) => number | null, commit: Encodable) {
  const buffer = new BatchBuffer(commit.first)
  return { places: encode(commit, buffer), lines: buffer.finish().toString() }
}

const submits = [
  submitJob('a', { protocol: MIXED }),
  submitJob('b', { protocol: LIMITED, doc_key: 'd' }),
  submitJob('a', { tenant_id: 'other', protocol: LIMITED, idempotency_hash: 'another' }),
]

it('writes what the way of all commits writes', () => {
  const commit = decided(new LiveState(), submits)
  expect(written(encodeJobs, commit)).toEqual(written(encodeGroups, commit))
  expect(written(encodeJobs, commit).lines.split('\n')).toHaveLength(submits.length + 1)
})

it('leaves everything else to it, and nothing of what it had begun', () => {
  const commit = decided(new LiveState(), submits)
  const { change, audit, moves } = commit
  const othersOf = (parts: Partial<Change>, more: Partial<Encodable> = {}) =>
    written(encodeJobs, { ...commit, change: { ...change, ...parts }, ...more })
  const nothing = { places: null, lines: '' }
  expect(othersOf({ signals: [{ tenant_id: 't', topic: 'x' }] })).toEqual(nothing)
  expect(othersOf({ claims: change.claims.toReversed() })).toEqual(nothing)
  expect(othersOf({ slots: change.slots.toReversed() })).toEqual(nothing)
  expect(othersOf({}, { audit: audit.toReversed() })).toEqual(nothing)
  expect(othersOf({}, { audit: audit.slice(0, -1) })).toEqual(nothing)
  expect(othersOf({}, { moves: moves.slice(0, 1) })).toEqual(nothing)
  const run = decided(new LiveState(), [submitJob('c', { run_id: 'r', idempotency_hash: 'c' }), ...submits])
  expect(written(encodeJobs, run)).toEqual(nothing)
})
