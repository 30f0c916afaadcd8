import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Change } from '../../../core/decision.ts'
import { decideImport } from '../../../core/document/import.ts'
import { type PastTransition, readLegacyLine } from '../../../core/document/legacy-line.ts'
import type { DocumentRecord } from '../../../core/document/record.ts'
import { LiveState } from '../../live/live-state.ts'
import { BatchBuffer } from '../batch-buffer.ts'
import type { Encodable } from './encode.ts'
import { encodeDocuments } from './encode-documents.ts'
import { encodeGroups } from './encode-groups.ts'

const steps = fc.array(
  fc.record({
    doc_id: fc.constantFrom('a', 'b', 'c'),
    state: fc.constantFrom('fetching', 'auto_done', 'failed'),
    metadata: fc.dictionary(fc.constantFrom('source', 'n'), fc.nat(2)),
  }),
  { minLength: 1, maxLength: 8 },
)

/** What a migration commits, on top of a ledger that has seen some of the documents. */
function commitOf(live: LiveState, lines: readonly object[], first: number): Encodable {
  const past = lines.map((line, n) => {
    const reading = readLegacyLine({ timestamp: n, ...line }, '')
    if ('problem' in reading) throw new Error(reading.problem)
    return reading.read as PastTransition
  })
  const decision = decideImport(
    {
      type: 'importDocuments',
      tenant_id: 't',
      past,
      reasons: past.map((_, n) => `line ${n}`),
      claim: { key: `k${first}`, owner: 'o' },
      actor: 'migration',
    },
    {
      now: 1e12,
      ids: { next: () => '' },
      get: (kind, tenant_id, id) => live.decided(kind, tenant_id, id),
      ownerOf: () => undefined,
      isFull: () => false,
    },
  )
  if (decision.kind !== 'change') throw new Error(decision.kind)
  const { change } = decision
  return { change, audit: change.audit, first, moves: live.decide(change) }
}

type Encode = (commit: Encodable, into: BatchBuffer) => number | null

function written(encode: Encode, commit: Encodable): unknown {
  const buffer = new BatchBuffer(commit.first)
  return { places: encode(commit, buffer), lines: buffer.finish().toString() }
}

it('writes what the way of all commits writes', () => {
  fc.assert(
    fc.property(steps, steps, (before, after) => {
      const live = new LiveState()
      for (const [lines, first] of [
        [before, 1],
        [after, 100],
      ] as const) {
        const commit = commitOf(live, lines, first)
        expect(written(encodeDocuments, commit)).toEqual(written(encodeGroups, commit))
      }
    }),
  )
})

it('leaves everything else to it', () => {
  const commit = commitOf(new LiveState(), [{ doc_id: 'a', state: 'fetching' }], 1)
  const with_ = (change: Partial<Change>, more: Partial<Encodable> = {}) =>
    encodeDocuments({ ...commit, change: { ...commit.change, ...change }, ...more }, new BatchBuffer(1))
  expect(with_({})).not.toBeNull()
  expect(with_({ signals: [{ tenant_id: 't', topic: 'x' }] })).toBeNull()
  expect(with_({ puts: [] })).toBeNull()
  expect(with_({}, { audit: [] })).toBeNull()
  expect(with_({}, { moves: [] })).toBeNull()
  const [entry] = commit.audit
  const [put] = commit.change.puts as readonly DocumentRecord[]
  if (entry === undefined || put === undefined) throw new Error('one of each')
  expect(with_({}, { audit: [{ ...entry, event: 'refused' }] })).toBeNull()
  expect(with_({}, { audit: [{ ...entry, tenant_id: 'other' }] })).toBeNull()
  expect(with_({}, { audit: [{ ...entry, path: ['fetching'] }] })).toBeNull()
  expect(with_({}, { audit: [{ ...entry, path: ['pending', 'failed'] }] })).toBeNull()
  expect(with_({ puts: [put, { ...put, tenant_id: 'other' }] })).toBeNull()
})
