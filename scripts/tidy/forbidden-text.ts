// Rules that are nothing but a pattern to find in the text. The patterns are written so as not to match
// themselves.
import type { Rule } from './rule.ts'
import type { SourceFile } from './source-file.ts'

type Forbidden = {
  name: string
  pattern: RegExp
  what: string
  fix: string
  appliesTo?: (file: SourceFile) => boolean
}

function forbidden({ name, pattern, what, fix, appliesTo = () => true }: Forbidden): Rule {
  return {
    name,
    check(file) {
      if (!appliesTo(file)) return []
      return file.lines.flatMap((text, index) => {
        const match = pattern.exec(text)
        return match ? [{ line: index + 1, what: what.replace('%s', match[0]), fix }] : []
      })
    },
  }
}

/** Other people's words: nobody here can correct them. */
const isOurs = (file: SourceFile) => file.path !== 'package-lock.json'

export const leftovers = forbidden({
  name: 'leftovers',
  pattern: /\b(?:TO[D]O|FIX[M]E)\b/,
  what: '%s left in committed text',
  fix: 'do it now, or write it down where work is planned',
  appliesTo: isOurs,
})

export const spelling = forbidden({
  name: 'spelling',
  pattern: /\w*cancel(?:ed|ing)\w*/i,
  what: '"%s" has one L',
  fix: 'write it with two, as everywhere else',
  appliesTo: isOurs,
})

export const outsidePaths = forbidden({
  name: 'outside paths',
  pattern: /\.\.[/]shared\b/,
  what: 'refers to %s, which is not part of this repository',
  fix: 'say it here in your own words',
})

export const registryHosts = forbidden({
  name: 'registry hosts',
  pattern: /registry\.npm[j]s|"resolved": "https?[:]/,
  what: 'names a package registry (%s)',
  fix: 'leave it to the npm configuration; for the lockfile run `npm install` with the .npmrc of this repository',
})
