import fc from 'fast-check'
import { expect, it } from 'vitest'
import { anyJson } from '../../../../test/fixtures/any-json.ts'
import { MANY, writtenWith } from '../../../../test/tables/alike-set.ts'
import { wholePart } from '../../../../test/tables/whole-part.ts'
import type { Birth } from '../../../core/job/birth.ts'
import type { Json } from '../../../core/json.ts'
import type { NewChunk } from '../log-parts.ts'
import { LoneSet } from '../lone-set.ts'
import { type FormedPart, formedPart } from './part-forms.ts'
import { partText } from './part-text.ts'

const anyText = fc.string({ unit: 'binary', maxLength: 20 })

/** Jobs that are alike, each as if it had been submitted by itself. */
function loneSets(payloads: readonly Json[], key: (nth: number) => string | null): readonly LoneSet[] {
  const [run] = writtenWith(payloads, key).runs
  return (run?.births ?? []).map((birth: Birth) => new LoneSet(birth, []))
}

it('says of each job, by the form of all that are like it, what it says by itself', () => {
  const payloads = fc.array(anyJson, { minLength: MANY, maxLength: 2 * MANY })
  const prefix = fc.option(anyText)
  fc.assert(
    fc.property(payloads, prefix, (said, name) => {
      const sets = loneSets(said as Json[], (nth) => (name === null ? null : `${name} ${nth}`))
      for (const set of sets) formedPart(set)
      for (const set of sets) {
        const { form, own } = formedPart(set) as FormedPart
        expect(wholePart(form.text, own)).toBe(partText(set, set.chunk as NewChunk))
      }
    }),
  )
})

it('is made when there were some of them', () => {
  const [set] = loneSets(
    Array.from({ length: MANY }, () => ({})),
    () => null,
  )
  const made = Array.from({ length: MANY }, () => formedPart(set as LoneSet))
  expect(made[0]).toBeNull()
  expect(made.at(-1)).not.toBeNull()
  expect(new Set(made.map((part) => part?.form.id)).size).toBe(2)
})

it('names a form by what it says', () => {
  const formOf = (key: (nth: number) => string | null) => {
    const sets = loneSets(
      Array.from({ length: MANY }, (_, nth) => ({ nth })),
      key,
    )
    return (sets.map(formedPart).at(-1) as FormedPart).form
  }
  expect(formOf(() => null)).toEqual(formOf(() => null))
  expect(formOf((nth) => `key ${nth}`).id).not.toBe(formOf(() => null).id)
  expect(Number.isSafeInteger(formOf(() => null).id)).toBe(true)
})
