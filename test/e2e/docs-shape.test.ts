// Pages of a kind have the same shape, so that readers find in one what they found in another.
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { groupedPages } from '../../scripts/docs/groups.ts'
import { page, pages } from './pages.ts'
import { ROOT } from './scratch.ts'

function headings(text: string): readonly string[] {
  return [...text.replace(/^```[\s\S]*?^```$/gm, '').matchAll(/^## (.*)$/gm)].map(([, title = '']) => title)
}

const ENGINE_HEADINGS = [
  'When to choose it',
  'Setting it up',
  'What is durable when',
  'Several processes',
  'Backup and restore',
  'Monitoring',
  'Upgrades',
  'Limits',
  'What can go wrong',
]

describe.each(['memory', 'journal', 'sqlite', 'postgres', 'azure-tables'])('the page of %s', (engine) => {
  it('has the headings that every engine has, in their order', () => {
    const found = headings(page(`docs/${engine}.md`)).filter((title) => ENGINE_HEADINGS.includes(title))
    expect(found).toEqual(ENGINE_HEADINGS)
  })
})

const COMPARED_HEADINGS = [
  'Where it is the better choice',
  'Where Waybill is',
  'Side by side',
  'When not to switch',
]

describe.each(pages.filter(({ path }) => path.startsWith('docs/compared/')))('$path', ({ text }) => {
  it('says the same of everybody, their advantages first', () => {
    expect(headings(text)).toEqual(COMPARED_HEADINGS)
  })
})

it('every guarantee names a test that is there', () => {
  const text = page('docs/guarantees.md')
  const promised = text.slice(text.indexOf('## States'), text.indexOf('## Time and chance'))
  const without = promised
    .split(/^- /m)
    .slice(1)
    .filter((promise) => {
      const tests = [...promise.matchAll(/\]\((\.\.\/(?:src|test)\/[^)]*\.ts)\)/g)].map(
        ([, link = '']) => link,
      )
      return tests.length === 0 || !tests.every((link) => existsSync(join(ROOT, dirname('docs/x'), link)))
    })
  expect(without).toEqual([])
})

it('every page of docs/ is in the index, and in the navigation of the site', () => {
  const listed = groupedPages()
    .flatMap(({ pages, folders }) => [...pages, ...folders.flatMap((folder) => folder.pages)])
    .map(({ path }) => `docs/${path}`)
  const written = pages.map(({ path }) => path).filter((path) => /^docs\/(?!README\.md$)/.test(path))
  expect(listed.toSorted()).toEqual(written)
  for (const path of written) expect(page('docs/README.md')).toContain(`](${path.slice('docs/'.length)})`)
})
