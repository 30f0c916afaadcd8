import fc from 'fast-check'
import { expect, it } from 'vitest'
import { anyJson } from '../../../../test/fixtures/any-json.ts'
import { MANY, writtenWith } from '../../../../test/tables/alike-set.ts'
import { document, newJob, setOf } from '../../../../test/tables/sample-set.ts'
import type { Json } from '../../../core/json.ts'
import { inRows } from '../in-rows.ts'
import type { NewChunk } from '../log-parts.ts'
import { partText, setIn } from './part-text.ts'

const anyText = fc.string({ unit: 'binary', maxLength: 20 })

it('is read as it was written, whatever jobs say', () => {
  const payloads = fc.array(anyJson, { minLength: MANY, maxLength: 2 * MANY })
  const prefix = fc.option(anyText)
  fc.assert(
    fc.property(payloads, prefix, (said, name) => {
      const set = writtenWith(said as Json[], (nth) => (name === null ? null : `${name} ${nth}`))
      expect(set.runs).toHaveLength(1)
      const chunk = set.chunk as NewChunk
      const { newJobs, claims, ready, chunk: read } = setIn(partText(set, chunk))
      const rows = inRows(set)
      expect({ newJobs, claims, ready }).toEqual({
        newJobs: rows.newJobs,
        claims: rows.claims,
        ready: rows.ready,
      })
      expect(read).toEqual(chunk)
      expect(() => JSON.parse(partText(set, chunk))).not.toThrow()
    }),
  )
})

it('keeps what is JSON as it is, to the last space', () => {
  const chunk = { entries: '[ 1 ]', places: 1, first_at: 1, last_at: 2, tags: ['a,b'], sketch: '[]' }
  const fixed = '{"a": [1,2] ,"b":"\\n\\t\\r"}'
  const set = setOf({
    newJobs: [newJob('a\tb\n', { fixed })],
    records: [document('d', 0, { body: fixed })],
    chunk,
  })
  const read = setIn(partText(set, chunk))
  expect(read.newJobs).toEqual(set.newJobs)
  expect(read.records).toEqual(set.records)
  expect(read.chunk).toEqual(chunk)
})
