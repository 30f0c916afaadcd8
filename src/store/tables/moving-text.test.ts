import fc from 'fast-check'
import { expect, it } from 'vitest'
import { stridesOf, way } from '../../../test/fixtures/strides.ts'
import type { Stride } from '../../core/job/stride.ts'
import { WORTH_CUTTING } from '../birth-marks.ts'
import { encodeChunk, entriesOf } from './entry-codec.ts'
import { decodeJob, encodeBorn } from './job-codec.ts'
import { movingOf } from './moving-text.ts'

function decoded(stride: Stride) {
  return decodeJob({ fixed: encodeBorn(stride.birth), moving: movingOf(stride) }).aggregate
}

it('writes the rows of jobs that go on as others did as every row is written', () => {
  fc.assert(
    fc.property(way, fc.nat(5000), fc.nat(3000), (one, laterMs, longerMs) => {
      const { strides, before } = stridesOf({ ...one, laterMs, longerMs })
      for (const stride of [...before, ...strides]) {
        const job = { job: stride.job, steps: stride.steps, outbox: [] }
        // The first few are written like any other; all after them from pieces.
        for (let times = 0; times <= WORTH_CUTTING + 1; times++) expect(decoded(stride)).toEqual(job)
      }
    }),
    { numRuns: 40 },
  )
})

it('tells of jobs that go on as others did as of all others', () => {
  fc.assert(
    fc.property(way, fc.nat(5000), fc.nat(3000), (one, laterMs, longerMs) => {
      const { strides, before } = stridesOf({ ...one, laterMs, longerMs })
      const told = [...before, ...strides, ...before]
      const entries = told.flatMap(({ audit }) => audit)
      const chunk = encodeChunk(told)
      expect(entriesOf(chunk.entries)).toEqual(entries)
      const { entries: _, ...others } = encodeChunk(entries)
      expect(chunk).toMatchObject(others)
    }),
    { numRuns: 40 },
  )
})
