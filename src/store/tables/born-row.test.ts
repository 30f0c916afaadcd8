import fc from 'fast-check'
import { expect, it } from 'vitest'
import { ownRequest } from '../../../test/fixtures/alike-jobs.ts'
import { KernelLedger } from '../../../test/fixtures/kernel-ledger.ts'
import type { Birth } from '../../core/job/birth.ts'
import type { SubmitJob } from '../../core/job/commands.ts'
import { freshJob } from '../../testing/conformance/commands.ts'
import { PULLED } from '../../testing/conformance/protocols.ts'
import { WORTH_CUTTING } from '../birth-marks.ts'
import { bornRow, fixedOf } from './born-row.ts'
import { encodeChunk, entriesOf } from './entry-codec.ts'
import { decodeJob, encodeBorn } from './job-codec.ts'

let made = 0

/** One of its kind is decided first; these are like it, and come one after the other. */
function birthsOf(commands: readonly Partial<SubmitJob>[], step: number): readonly Birth[] {
  const ledger = new KernelLedger()
  const protocol = { ...PULLED }
  const born = (own: Partial<SubmitJob>) => {
    ledger.now += step
    const decision = ledger.decide(
      freshJob(`job-${++made}`, { ...own, protocol, idempotency_hash: `hash-${made}` }),
    )
    if (decision.kind !== 'change') throw new Error(decision.kind)
    return decision.change.births ?? []
  }
  const [first] = commands
  born({ ...first, idempotency_key: first?.idempotency_key == null ? null : 'of the first' })
  const births = commands.flatMap(born)
  for (const birth of births) birth.written('1')
  return births
}

const shared = fc.record({
  keyed: fc.boolean(),
  // What stands in a row anyway may look like anything.
  correlation_id: fc.oneof(
    fc.constant(null),
    fc.string({ unit: 'binary' }),
    fc.constantFrom('~0~job', '"~0~hash"', '2242-07-10T09:46:40.007Z', '8600000000007'),
  ),
  reason: fc.oneof(fc.constant(null), fc.string()),
})

const manyAlike = fc.record({
  shared,
  owns: fc.array(ownRequest, { minLength: 1, maxLength: 3 }),
  step: fc.constantFrom(0, 17),
})

function alike({ shared: { keyed, ...same }, owns, step }: ReturnType<typeof manyAlike.generate>['value']) {
  const key = () => ({ idempotency_key: keyed ? `key-${++made}` : null })
  const births = birthsOf(
    owns.map((one) => ({ ...one, ...same, ...key() })),
    step,
  )
  expect(births).toHaveLength(owns.length)
  return births
}

it('writes the rows of jobs that are alike as every row is written', () => {
  fc.assert(
    fc.property(manyAlike, (given) => {
      const births = alike(given)
      const texts = births.map(encodeBorn)
      // The first few are written like any other; all after them from pieces.
      for (let nth = 0; nth <= WORTH_CUTTING + 1; nth++) expect(births.map(fixedOf)).toEqual(texts)
      for (const birth of births) {
        const row = bornRow(birth)
        expect(decodeJob(row).aggregate).toEqual({ job: birth.job, steps: birth.steps, outbox: [] })
        expect(row).toMatchObject({
          job_id: birth.job_id,
          version: 1,
          state: birth.job.state,
          is_ended: false,
        })
      }
    }),
  )
})

it('tells of jobs that are alike as of all others', () => {
  fc.assert(
    fc.property(manyAlike, (given) => {
      const births = alike(given)
      const entries = births.map(({ entry }) => entry)
      const chunk = encodeChunk([], births)
      expect(chunk).toEqual(encodeChunk(entries))
      expect(entriesOf(chunk.entries)).toEqual(entries)
    }),
  )
})
