import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { AlikeJobs } from '../../../../test/fixtures/alike-jobs.ts'
import { protocolOf, pulled } from '../../../../test/fixtures/job-commands.ts'
import { wholeLines } from '../../../../test/fixtures/whole-lines.ts'
import type { AuditEntry } from '../../../core/audit.ts'
import { Stride } from '../../../core/job/stride.ts'
import type { Json } from '../../../core/json.ts'
import { freshJob, onJob, report } from '../../../testing/conformance/commands.ts'
import { WORTH_CUTTING } from '../../birth-marks.ts'
import { BatchBuffer } from '../batch-buffer.ts'
import { writeJobLine } from './encode-job.ts'
import { encodeStride } from './encode-strides.ts'
import type { Line } from './line.ts'

let made = 0

interface Way {
  readonly steps: number
  readonly actor: string
  readonly output: Json
  /** Between what happens to a job; the last one takes longer. */
  readonly laterMs: number
  readonly longerMs?: number
}

interface Strides {
  readonly strides: readonly Stride[]
  /** Of the job before it. */
  readonly before: readonly Stride[]
}

/** The strides of a job, when so many have gone its way that all of them are known. */
function stridesOf({ steps, actor, output, laterMs, longerMs = 0 }: Way): Strides {
  const jobs = new AlikeJobs()
  const protocol = protocolOf(...Array.from({ length: steps }, (_, nth) => pulled(`step-${nth}`)))
  let strides: Stride[] = []
  let before: readonly Stride[] = []
  const count = 6 * steps + 3
  for (let job = 0; job < count; job++) {
    const ms = laterMs + (job === count - 1 ? longerMs : 0)
    before = strides
    const id = `job-${++made}`
    jobs.submit(freshJob(id, { protocol, idempotency_hash: `hash-${made}` }))
    strides = []
    const keep = (change: unknown) => change instanceof Stride && strides.push(change)
    for (let nth = 0; nth < steps; nth++) {
      jobs.now += ms
      keep(jobs.do({ ...onJob('claimStep', id), actor }).alike.change)
      const step = jobs.get(id).steps[nth]
      jobs.now += 2 * ms
      const result = { status: 'SUCCEEDED', output } as const
      keep(jobs.do({ ...report(step as never, result), actor }).alike.change)
    }
  }
  expect([strides, before].map(({ length }) => length)).toEqual([2 * steps, 2 * steps])
  return { strides, before }
}

/** As every line is written. */
function asEveryLine(stride: Stride, seq: number): Line {
  const buffer = new BatchBuffer(seq)
  const { before, step, job, claims, slots } = stride
  const entries = stride.audit as readonly [AuditEntry, ...AuditEntry[]]
  const devices = { claims, slots, signals: [] }
  writeJobLine({ seq, first: seq, entries, nths: undefined, parts: [step, job], before, devices }, buffer)
  return wholeLines(buffer)[0] as Line
}

function encoded(stride: Stride, seq: number): Line {
  const buffer = new BatchBuffer(seq)
  encodeStride(stride, seq, buffer)
  return wholeLines(buffer)[0] as Line
}

/** After the line of another one, in the same batch. */
function encodedAfter(other: Stride, stride: Stride): Line {
  const buffer = new BatchBuffer(1)
  encodeStride(other, seqOf(other), buffer)
  encodeStride(stride, seqOf(stride), buffer)
  return wholeLines(buffer)[1] as Line
}

function seqOf(stride: Stride): number {
  return Number(stride.job.etag)
}

const way = fc.record({
  steps: fc.integer({ min: 1, max: 3 }),
  // What stands in a line anyway may look like anything.
  actor: fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom('~0~lease0', '"~0~job"', '8600000000000001', '1234567.019'),
  ),
  output: fc.oneof(fc.constant(null), fc.jsonValue() as fc.Arbitrary<Json>),
})

describe('the line of a stride', () => {
  it('is written as every line is', () => {
    fc.assert(
      fc.property(way, fc.integer({ min: 1, max: 5000 }), fc.nat(3000), (one, laterMs, longerMs) => {
        const { strides, before } = stridesOf({ ...one, laterMs, longerMs })
        for (const [nth, stride] of strides.entries()) {
          const seq = seqOf(stride)
          const line = asEveryLine(stride, seq)
          // The first few are written like any other; all after them from pieces.
          for (let times = 0; times <= WORTH_CUTTING + 1; times++) expect(encoded(stride, seq)).toEqual(line)
          expect(encodedAfter(before[nth] as Stride, stride)).toEqual(line)
        }
      }),
      { numRuns: 40 },
    )
  })

  it('says how long a job was in its state also where its step was there as long', () => {
    const { strides } = stridesOf({ steps: 2, actor: 'worker', output: null, laterMs: 0 })
    for (const stride of strides) {
      const seq = seqOf(stride)
      for (let nth = 0; nth <= WORTH_CUTTING; nth++) encoded(stride, seq)
      const told = ({ also = [], ...rest }: Line & { also?: readonly object[] }) => ({
        ...rest,
        also: also.map((entry) => ({ duration_seconds: 0, ...entry })),
      })
      expect(told(encoded(stride, seq))).toEqual(told(asEveryLine(stride, seq)))
    }
  })
})
