import { expect, it } from 'vitest'
import { jsonText, rememberJson } from './json-text.ts'

it('is what it was when it was remembered, and of everything else what it is now', () => {
  const value = { b: [1, { a: 'ü' }], a: null }
  expect(jsonText(value)).toBe('{"b":[1,{"a":"ü"}],"a":null}')
  rememberJson(value)
  Object.freeze(value)
  expect(jsonText(value)).toBe('{"b":[1,{"a":"ü"}],"a":null}')
  expect(jsonText({ ...value, c: 1 })).toBe('{"b":[1,{"a":"ü"}],"a":null,"c":1}')
  expect(jsonText(value)).toBe('{"b":[1,{"a":"ü"}],"a":null}')
})

it('is remembered of many, as long as they are not too many', () => {
  const values = Array.from({ length: 2500 }, (_, n) => ({ n, note: 'x'.repeat(n) }))
  const texts = values.map((value) => JSON.stringify(value))
  for (const value of values) rememberJson(value)
  // What is found there is what was written then: so it can be told from what is written now.
  for (const value of values) value.n = -1
  const isRemembered = values.map((value, n) => jsonText(value) === texts[n])
  expect(isRemembered.at(-1)).toBe(true)
  expect(isRemembered.filter(Boolean).length).toBeGreaterThan(100)
  expect(isRemembered.filter(Boolean).length).toBeLessThan(1002)
  expect(jsonText(values.at(-1) as object)).toContain('"n":-1')
})
