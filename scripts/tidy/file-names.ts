import type { Rule } from './rule.ts'

const CHECKED = /^(?:src|test|scripts|examples|bench|ui)\/.*\.(?:ts|tsx|mts|mjs|js|css|sql)$/
const KEBAB_CASE = /^[a-z0-9]+(?:-[a-z0-9]+)*(?:\.[a-z0-9-]+)*$/
const BUCKET = /^(?:utils?|helpers?|common|misc|types)(?:\.|$)/

export const fileNames: Rule = {
  name: 'file names',
  check({ path }) {
    if (!CHECKED.test(path)) return []
    const parts = path.split('/')
    const badCase = parts
      .filter((part) => !KEBAB_CASE.test(part))
      .map((part) => ({ line: 1, what: `"${part}" is not kebab-case`, fix: 'rename it like-this.ts' }))
    const buckets = parts
      .filter((part) => BUCKET.test(part))
      .map((part) => ({
        line: 1,
        what: `"${part}" could hold anything`,
        fix: 'name it after the one thing in it',
      }))
    return [...badCase, ...buckets]
  },
}
