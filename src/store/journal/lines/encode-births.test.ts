import fc from 'fast-check'
import { expect, it } from 'vitest'
import { ownRequest } from '../../../../test/fixtures/alike-jobs.ts'
import { KernelLedger } from '../../../../test/fixtures/kernel-ledger.ts'
import { wholeLines } from '../../../../test/fixtures/whole-lines.ts'
import type { AuditEntry } from '../../../core/audit.ts'
import { type Birth, Births } from '../../../core/job/birth.ts'
import type { SubmitJob } from '../../../core/job/commands.ts'
import { freshJob } from '../../../testing/conformance/commands.ts'
import { PULLED } from '../../../testing/conformance/protocols.ts'
import { WORTH_CUTTING } from '../../birth-marks.ts'
import { BatchBuffer } from '../batch-buffer.ts'
import { encodeBirths } from './encode-births.ts'
import { writeJobLine } from './encode-job.ts'
import type { Line } from './line.ts'

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
function asEveryLine(births: readonly Birth[], first: number): readonly Line[] {
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
  return wholeLines(buffer)
}

function encoded(births: readonly Birth[], first: number): readonly Line[] {
  const buffer = new BatchBuffer(first)
  expect(encodeBirths(births, first, buffer)).toBe(births.length)
  return wholeLines(buffer)
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
        for (let nth = 0; nth <= WORTH_CUTTING + 1; nth++) expect(encoded(births, first)).toEqual(lines)
      },
    ),
  )
})

// A line that is like one that does not begin its commit was read as part of that commit, and its job got the etag of it.
it('has places of its own in a line that is like another one, whichever commit that is of', () => {
  const [a = [], b = []] = ['one', 'another'].map((actor) =>
    birthsOf(Array.from({ length: WORTH_CUTTING + 4 }, () => ({ actor }))),
  )
  for (const births of [a, b]) for (const birth of births) encoded([birth], 1)
  const buffer = new BatchBuffer(1)
  const commits = [[a[0], b[0]], [b[1]], [a[1], a[2], b[2]], [b[3]]] as Birth[][]
  let first = 1
  for (const births of commits) {
    for (const birth of births) birth.written(String(first))
    first += encodeBirths(births, first, buffer)
  }
  const places = (lines: readonly Line[]) =>
    lines.map((line) => [line.seq, 'commit' in line ? line.commit : null])
  const lines = wholeLines(buffer)
  expect(places(lines)).toEqual([
    [1, null],
    [2, 1],
    [3, null],
    [4, null],
    [5, 4],
    [6, 4],
    [7, null],
  ])
  const texts = buffer.finish().toString().split('\n')
  expect(texts.filter((text) => text.includes('"like":'))).toHaveLength(5)
})

it('is whole after others that were taken back', () => {
  const births = birthsOf(Array.from({ length: WORTH_CUTTING + 3 }, () => ({})))
  for (const birth of births) encoded([birth], 1)
  const [one, two, three] = births.slice(-3) as [Birth, Birth, Birth]
  const buffer = new BatchBuffer(1)
  encodeBirths([one], 1, buffer)
  buffer.cutTo(0)
  encodeBirths([two], 1, buffer)
  encodeBirths([three], 2, buffer)
  expect(wholeLines(buffer).map((line) => ('job_id' in line ? line.job_id : null))).toEqual([
    two.job_id,
    three.job_id,
  ])
})
