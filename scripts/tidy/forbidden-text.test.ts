import { describe, expect, it } from 'vitest'
import { leftovers, outsidePaths, registryHosts, spelling } from './forbidden-text.ts'
import type { Rule } from './rule.ts'
import { sourceFile } from './source-file.ts'

/** The samples are put together here, or this file would break the rules it tests. */
const glue = (...parts: string[]) => parts.join('')

const check = (rule: Rule, text: string, path = 'docs/guide.md') => rule.check(sourceFile(path, text))

describe('leftovers', () => {
  it('finds what was put off, and where', () => {
    const text = `const a = 1\n// ${glue('TO', 'DO')}: more`
    expect(check(leftovers, text)).toMatchObject([{ line: 2, what: glue('TO', 'DO left in committed text') }])
    expect(check(leftovers, glue('FIX', 'ME'))).toHaveLength(1)
  })

  it('leaves other words alone', () => {
    expect(check(leftovers, 'a todo list; METHODO')).toEqual([])
  })
})

describe('spelling', () => {
  it.each([glue('cancel', 'ed'), glue('Cancel', 'ing'), glue('is', 'Cancel', 'ed'), glue('CANCEL', 'ED')])(
    'wants two Ls in %s',
    (word) => {
      expect(check(spelling, `the job is ${word}.`)).toMatchObject([{ what: `"${word}" has one L` }])
    },
  )

  it.each(['cancelled', 'CANCELLING', 'cancellation', 'cancel', 'cancelJob'])('accepts %s', (word) => {
    expect(check(spelling, word)).toEqual([])
  })
})

describe('what is outside stays outside', () => {
  it('finds paths that leave the repository', () => {
    expect(check(outsidePaths, glue('see ..', '/shared/notes.md'))).toHaveLength(1)
    expect(check(outsidePaths, 'a shared/ folder')).toEqual([])
  })

  it('finds package registries, in the lockfile too', () => {
    const resolved = glue('"resolved": ', '"https', '://example.test/a.tgz"')
    expect(check(registryHosts, resolved, 'package-lock.json')).toHaveLength(1)
    expect(check(registryHosts, glue('registry.', 'npmjs.org'))).toHaveLength(1)
    expect(check(registryHosts, '"integrity": "sha512-abc"', 'package-lock.json')).toEqual([])
  })
})
