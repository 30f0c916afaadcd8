import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { AlikeJobs } from '../../../../test/fixtures/alike-jobs.ts'
import { protocolOf, pulled } from '../../../../test/fixtures/job-commands.ts'
import type { AuditEntry } from '../../../core/audit.ts'
import { Stride } from '../../../core/job/stride.ts'
import type { Json } from '../../../core/json.ts'
import { freshJob, onJob, report } from '../../../testing/conformance/commands.ts'
import { WORTH_CUTTING } from '../../birth-marks.ts'
import { BatchBuffer } from '../batch-buffer.ts'
import { writeJobLine } from './encode-job.ts'
import { encodeStride } from './encode-strides.ts'

let made = 0

interface Way {
  readonly steps: number
  readonly actor: string
  readonly output: Json
  /** Between what happens to a job. */
  readonly laterMs: number
}

/** The strides of a job, when so many have gone its way that all of them are known. */
function stridesOf({ steps, actor, output, laterMs }: Way): readonly Stride[] {
  const jobs = new AlikeJobs()
  const protocol = protocolOf(...Array.from({ length: steps }, (_, nth) => pulled(`step-${nth}`)))
  let strides: Stride[] = []
  for (let job = 0; job < 6 * steps + 2; job++) {
    const id = `job-${++made}`
    jobs.submit(freshJob(id, { protocol, idempotency_hash: `hash-${made}` }))
    strides = []
    const keep = (change: unknown) => change instanceof Stride && strides.push(change)
    for (let nth = 0; nth < steps; nth++) {
      jobs.now += laterMs
      keep(jobs.do({ ...onJob('claimStep', id), actor }).alike.change)
      const step = jobs.get(id).steps[nth]
      jobs.now += 2 * laterMs
      const result = { status: 'SUCCEEDED', output } as const
      keep(jobs.do({ ...report(step as never, result), actor }).alike.change)
    }
  }
  expect(strides).toHaveLength(2 * steps)
  return strides
}

/** As every line is written. */
function asEveryLine(stride: Stride, seq: number): string {
  const buffer = new BatchBuffer(seq)
  const { before, step, job, claims, slots } = stride
  const entries = stride.audit as readonly [AuditEntry, ...AuditEntry[]]
  const devices = { claims, slots, signals: [] }
  writeJobLine({ seq, first: seq, entries, nths: undefined, parts: [step, job], before, devices }, buffer)
  return buffer.finish().toString()
}

function encoded(stride: Stride, seq: number): string {
  const buffer = new BatchBuffer(seq)
  encodeStride(stride, seq, buffer)
  return buffer.finish().toString()
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
      fc.property(way, fc.integer({ min: 1, max: 5000 }), (one, laterMs) => {
        for (const stride of stridesOf({ ...one, laterMs })) {
          const seq = Number(stride.job.etag)
          const line = asEveryLine(stride, seq)
          // The first few are written like any other; all after them from pieces.
          for (let nth = 0; nth <= WORTH_CUTTING + 1; nth++) expect(encoded(stride, seq)).toBe(line)
        }
      }),
      { numRuns: 40 },
    )
  })

  it('says how long a job was in its state also where its step was there as long', () => {
    for (const stride of stridesOf({ steps: 2, actor: 'worker', output: null, laterMs: 0 })) {
      const seq = Number(stride.job.etag)
      for (let nth = 0; nth <= WORTH_CUTTING; nth++) encoded(stride, seq)
      const [line, usual] = [encoded(stride, seq), asEveryLine(stride, seq)].map((text) => JSON.parse(text))
      const told = ({ also = [], ...rest }: { also?: object[]; batch: unknown }) => ({
        ...rest,
        also: also.map((entry) => ({ duration_seconds: 0, ...entry })),
        batch: null,
        crc: null,
      })
      expect(told(line)).toEqual(told(usual))
    }
  })
})
