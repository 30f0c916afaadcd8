import fc from 'fast-check'
import { expect, it } from 'vitest'
import { anyJson } from '../../../test/fixtures/any-json.ts'
import { MANY, writtenWith } from '../../../test/tables/alike-set.ts'
import { Birth } from '../../core/job/birth.ts'
import type { Json } from '../../core/json.ts'
import { inRows } from './in-rows.ts'
import { decodeJob } from './job-codec.ts'
import { headOfWaiting, ReadBirths } from './read-births.ts'
import type { JobRow } from './tables.ts'

const anyText = fc.string({ unit: 'binary', maxLength: 20 })

function rowsOf(
  payloads: readonly Json[],
  key: (nth: number) => string | null = () => null,
): readonly JobRow[] {
  return inRows(writtenWith(payloads, key)).newJobs
}

const some = (payload: (nth: number) => Json): readonly Json[] =>
  Array.from({ length: MANY }, (_, nth) => payload(nth))

it('reads of each row what a look at all of it says', () => {
  const payloads = fc.array(anyJson, { minLength: MANY, maxLength: 2 * MANY })
  fc.assert(
    fc.property(payloads, fc.option(anyText), (said, name) => {
      const births = new ReadBirths()
      for (const row of rowsOf(said as Json[], (nth) => (name === null ? null : `${name} ${nth}`))) {
        const read = births.of(row)
        const { job, steps } = decodeJob(row).aggregate
        expect(headOfWaiting(read)).toEqual(headOfWaiting(row))
        if (!(read instanceof Birth)) continue
        expect({ job: read.job, steps: read.steps, holds: row.holds }).toEqual({
          job,
          steps,
          holds: ['in-flight'],
        })
      }
    }),
  )
})

it('keeps what is its own of those that are alike, whatever order they come in', () => {
  const births = new ReadBirths()
  const plain = rowsOf(some((nth) => ({ nth })))
  const keyed = rowsOf(
    some((nth) => ({ nth })),
    (nth) => `key ${nth}`,
  )
  for (let nth = 0; nth < MANY; nth++) {
    expect(births.of(plain[nth] as JobRow)).toBeInstanceOf(Birth)
    expect(births.of(keyed[nth] as JobRow)).toMatchObject({
      idempotency_key: `key ${nth}`,
      claim: `key:key ${nth}`,
    })
  }
})

/** The row with something else in it. */
function saying(row: JobRow, before: string, after: string): JobRow {
  const fixed = row.fixed.replace(before, after)
  expect(fixed).not.toBe(row.fixed)
  return { ...row, fixed }
}

it('leaves rows as they are that say more, or have moved', () => {
  const births = new ReadBirths()
  const [first, row] = rowsOf(some((nth) => ({ nth }))) as readonly [JobRow, JobRow]
  expect(births.of(first)).toBeInstanceOf(Birth)
  const others = [
    { ...row, version: 2 },
    { ...row, moving: '{}' },
    { ...row, holds: ['in-flight', 'gpu'] },
    { ...row, job_id: 'another' },
    // What looks like the end of the payload is not.
    saying(row, '"payload":{"nth":1}', '"payload":{"nth":1},"tags":["a"]'),
    saying(row, '"rank":', '"rank":1'),
  ]
  for (const other of others) expect(births.of(other)).toBe(other)
  expect(births.of(row)).toBeInstanceOf(Birth)
})

it('knows no form of jobs that wait for something else', () => {
  const [row] = rowsOf(some((nth) => ({ nth }))) as readonly [JobRow]
  const born = (more: object) => ({
    ...JSON.parse(row.fixed),
    job: { ...JSON.parse(row.fixed).job, ...more },
  })
  for (const more of [
    { run_id: 'run' },
    { due_at: '2026-01-01T00:00:00.000Z' },
    { ready: null },
    { payload: { steps: {} } },
  ]) {
    const other = { ...row, fixed: JSON.stringify(born(more)) }
    expect(new ReadBirths().of(other)).toBe(other)
  }
  expect(headOfWaiting({ ...row, fixed: JSON.stringify(born({ ready: null })) })).toBeNull()
})
