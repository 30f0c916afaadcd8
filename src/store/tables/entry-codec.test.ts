import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type AuditEntry, expandHop, hopsOf } from '../../core/audit.ts'
import { encodeChunk, recordsOf } from './entry-codec.ts'

const few = (...texts: readonly string[]) => fc.constantFrom(...texts)
const fewOrNone = (...texts: readonly string[]) => fc.option(few(...texts), { nil: null })

/** Few of everything, so that many have much in common. */
const metadata = fc.oneof(
  fc.record({ step_id: few('s1', 's2'), attempt_no: few('1').map(Number), lease_id: fewOrNone('l1', 'l2') }),
  fc.record({ step_id: fc.constant(null), attempt_no: fc.constant(1), lease_id: fc.constant('l1') }),
  fc.record({ step_id: few('s1'), attempt_no: fc.constant(1), lease_id: few('l'), more: fc.jsonValue() }),
  fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 3 }),
)

const entry: fc.Arbitrary<AuditEntry> = fc.record({
  event: fc.constantFrom('moved', 'noted', 'refused', 'ignored'),
  tenant_id: few('t1', 't2'),
  kind: fc.constantFrom('job', 'step', 'outbox', 'document'),
  id: few('j1', 'j1/s1', 'j2', 'o1', 'j', ''),
  doc_id: fewOrNone('d1', 'd2'),
  job_id: fewOrNone('j1', 'j2', ''),
  path: fc
    .tuple(fewOrNone('A', 'B'), fc.array(few('A', 'B'), { minLength: 1, maxLength: 3 }))
    .map(([from, to]) => [from, ...to]),
  timestamp: fc.constantFrom(1, 2.5),
  adapter: few('a', 'b'),
  error_type: fewOrNone('E'),
  error_message: fewOrNone('m'),
  traceback: fewOrNone('at 1'),
  retry_count: fc.constantFrom(0, 1),
  max_retries: fc.constantFrom(2, 3),
  duration_seconds: fc.constantFrom(null, 0, 1.5),
  metadata: metadata as fc.Arbitrary<AuditEntry['metadata']>,
  actor: few('me', 'you'),
  reason: fewOrNone('because'),
})

describe('the entries of one transaction', () => {
  it('are read as they were written, whatever they have in common', () => {
    fc.assert(
      fc.property(fc.array(entry, { minLength: 1, maxLength: 30 }), (entries) => {
        const { entries: text, places } = encodeChunk(entries)
        const plain = JSON.parse(JSON.stringify(entries)) as readonly AuditEntry[]
        const records = plain.flatMap((one) =>
          Array.from({ length: hopsOf(one) }, (_, hop) => ({ one, hop })),
        )
        expect(places).toBe(records.length)
        expect(recordsOf({ first_seq: 7, entries: text })).toEqual(
          records.map(({ one, hop }, index) => expandHop(one, hop, 7 + index)),
        )
      }),
    )
  })

  it('take little room when they say the same of many jobs', () => {
    const told = (job_id: string): AuditEntry => ({
      event: 'moved',
      tenant_id: 'default',
      kind: 'step',
      id: `${job_id}/render`,
      doc_id: null,
      job_id,
      path: ['PENDING', 'DISPATCHING', 'AWAITING_ACK', 'IN_PROGRESS'],
      timestamp: 1_794_864_278.819,
      adapter: 'renderer',
      error_type: null,
      error_message: null,
      traceback: null,
      retry_count: 0,
      max_retries: 2,
      duration_seconds: 0.012,
      metadata: { step_id: 'render', attempt_no: 1, lease_id: `lease-of-${job_id}` },
      actor: 'worker',
      reason: null,
    })
    const jobs = Array.from({ length: 100 }, (_, nth) => told(`job-${1000 + nth}`))
    const { entries } = encodeChunk(jobs)
    const own = '[0,"job-1000",0.012,"lease-of-job-1000"],'
    expect(entries.length).toBeLessThan(own.length * jobs.length + 400)
  })
})
