import { describe, expect, it } from 'vitest'
import { ROUTES } from '../../src/server/routes/all.ts'
import { wordsFor } from './http-reference/schema-words.ts'
import { httpReferenceRegion } from './http-reference.ts'

describe('the page of all routes', () => {
  const page = httpReferenceRegion()

  it('has every route, with who may call it', () => {
    for (const { method, path } of ROUTES) expect(page).toContain(`### ${method} ${path}\n`)
    expect(page.match(/^\*\*Who:\*\* /gm)).toHaveLength(ROUTES.length)
  })

  it('has every shape that it links to, once', () => {
    const headings = [...page.matchAll(/^### (\w+)$/gm)].map(([, name = '']) => name.toLowerCase())
    expect(new Set(headings).size).toBe(headings.length)
    for (const [, link = ''] of page.matchAll(/\]\(#(\w+)\)/g)) {
      if (!link.startsWith('v1')) expect(headings).toContain(link)
    }
  })
})

it.each([
  [{ type: 'string', maxLength: 512 }, 'text, at most 512 characters'],
  [{ type: 'integer', minimum: 1, maximum: 1000 }, 'whole number, 1 to 1,000'],
  [{ type: ['string', 'null'] }, 'text or null'],
  [{ type: 'array', items: { enum: ['a', 'b'] }, maxItems: 3 }, 'list of `a`, `b`, at most 3'],
  [{ $ref: '#/components/schemas/Job' }, '[Job](#job)'],
  [{}, 'any JSON'],
])('says %j in words', (schema, words) => {
  expect(wordsFor(schema)).toBe(words)
})
