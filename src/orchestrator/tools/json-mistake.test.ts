import fc from 'fast-check'
import { expect, it } from 'vitest'
import { jsonMistakeIn } from './json-mistake.ts'

it('finds none where there is none, and one wherever the engine does', () => {
  const texts = fc.oneof(
    fc.json(),
    fc.json().chain((json) => fc.nat(json.length).map((end) => json.slice(0, end))),
    fc
      .tuple(fc.json(), fc.nat(), fc.constantFrom(...'{}[],:"\\ 01e-+.tn\n\u0001x'))
      .map(
        ([json, at, char]) =>
          json.slice(0, at % (json.length + 1)) + char + json.slice(at % (json.length + 1)),
      ),
    fc.string(),
  )
  fc.assert(
    fc.property(texts, (text) => {
      const mistake = jsonMistakeIn(text)
      // A field that is there twice is JSON, and still a mistake.
      if (mistake?.message.endsWith('twice') === true) return
      expect(mistake === null, text).toBe(isJson(text))
    }),
    { numRuns: 3000 },
  )
})

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

it.each([
  ['', 1, 1, 'ends too early'],
  ['{"a": 1', 1, 8, 'ends too early'],
  ['[1,\n 2,\n x]', 3, 2, 'has no value where one must be'],
  ['[1 2]', 1, 4, 'has no comma or closing bracket where one must be'],
  ['{"a" 1}', 1, 6, 'has no colon after a name'],
  ['{a: 1}', 1, 2, 'has no name in quotes where one must be'],
  ['["a\nb"]', 1, 2, 'has a string that is not closed or not well-formed'],
  ['[01]', 1, 2, 'has no value where one must be'],
  ['{} {}', 1, 4, 'has something after its end'],
  ['{"a": 1, "\\u0061": 2}', 1, 10, 'has the field "\\u0061" twice'],
])('%j at %i:%i: %s', (text, line, column, message) => {
  expect(jsonMistakeIn(text)).toEqual({ line, column, message })
})

it('takes the same names in different objects', () => {
  expect(jsonMistakeIn('{"a": {"a": 1}, "b": [{"a": 1}, {"a": 2}]}')).toBeNull()
})

it('does not mind how long or how deep a text is', () => {
  expect(jsonMistakeIn(`["${'x\\n'.repeat(500_000)}"]`)).toBeNull()
  expect(jsonMistakeIn('['.repeat(500_000))).toMatchObject({ message: 'ends too early' })
})
