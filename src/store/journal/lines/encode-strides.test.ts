import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { stridesOf, way } from '../../../../test/fixtures/strides.ts'
import { wholeLines } from '../../../../test/fixtures/whole-lines.ts'
import type { AuditEntry } from '../../../core/audit.ts'
import type { Stride } from '../../../core/job/stride.ts'
import { WORTH_CUTTING } from '../../birth-marks.ts'
import { BatchBuffer } from '../batch-buffer.ts'
import { writeJobLine } from './encode-job.ts'
import { encodeStride } from './encode-strides.ts'
import type { Line } from './line.ts'

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
