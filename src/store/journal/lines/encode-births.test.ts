import fc from 'fast-check'
import { expect, it } from 'vitest'
import { ownRequest } from '../../../../test/fixtures/alike-jobs.ts'
import { KernelLedger } from '../../../../test/fixtures/kernel-ledger.ts'
import type { AuditEntry } from '../../../core/audit.ts'
import { type Birth, Births } from '../../../core/job/birth.ts'
import type { SubmitJob } from '../../../core/job/commands.ts'
import { freshJob } from '../../../testing/conformance/commands.ts'
import { PULLED } from '../../../testing/conformance/protocols.ts'
import { WORTH_CUTTING } from '../../birth-marks.ts'
import { BatchBuffer } from '../batch-buffer.ts'
import { encodeBirths } from './encode-births.ts'
import { writeJobLine } from './encode-job.ts'

let made = 0

function birthsOf(commands: readonly Partial<SubmitJob>[]): readonly Birth[] {
  const ledger = new KernelLedger()
  const protocol = { ...PULLED }
  const born = (own: Partial<SubmitJob>) => {
    ledger.now += 17
    const decision = ledger.decide(
      freshJob(`job-${++made}`, { ...own, protocol, idempotency_hash: `hash-${made}` }),
    )
    if (decision.kind !== 'change') throw new Error(decision.kind)
    return decision.change.births ?? []
  }
  const [first] = commands
  born({ ...first, idempotency_key: first?.idempotency_key == null ? null : 'of the first' })
  return commands.flatMap(born)
}

/** As every line is written. */
function asEveryLine(births: readonly Birth[], first: number): string {
  const buffer = new BatchBuffer(first)
  let seq = first
  for (const birth of births) {
    birth.written(String(first))
    const { audit, claims, slots, signals } = new Births([birth])
    const entries = audit as readonly [AuditEntry]
    const parts = [...birth.steps, birth.job]
    const devices = { claims, slots, signals }
    writeJobLine({ seq, first, entries, nths: undefined, parts, before: null, devices }, buffer)
    seq++
  }
  return buffer.finish().toString()
}

function encoded(births: readonly Birth[], first: number): string {
  const buffer = new BatchBuffer(first)
  expect(encodeBirths(births, first, buffer)).toBe(births.length)
  return buffer.finish().toString()
}

it('writes the lines of jobs that are alike as every line is written', () => {
  const shared = fc.record({
    keyed: fc.boolean(),
    // What stands in a line anyway may look like anything.
    actor: fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom('~0~job', '"~0~hash"', '8600000000000001'),
    ),
    reason: fc.oneof(fc.constant(null), fc.string(), fc.constantFrom('~0~input', '8600000000.007')),
  })
  fc.assert(
    fc.property(
      shared,
      fc.array(ownRequest, { minLength: 1, maxLength: 3 }),
      fc.nat(1e9),
      ({ keyed, ...same }, owns, first) => {
        const key = () => ({ idempotency_key: keyed ? `key-${++made}` : null })
        const births = birthsOf(owns.map((one) => ({ ...one, ...same, ...key() })))
        expect(births).toHaveLength(owns.length)
        const lines = asEveryLine(births, first)
        // The first few are written like any other; all after them from pieces.
        for (let nth = 0; nth <= WORTH_CUTTING + 1; nth++) expect(encoded(births, first)).toBe(lines)
      },
    ),
  )
})
