// Links of the pages, as the site has them. The pages are written for a checkout, where a link may lead to an example, a
// test or a schema. The site brings those files along as text, so that every link leads somewhere, and none elsewhere.
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import type { MarkdownRenderer } from 'vitepress'
import { ROOT } from '../command.ts'

/** Pages of the site that are not in docs/: where they are, and what they are called there. */
const MORE_PAGES: { readonly [path: string]: string } = {
  'ARCHITECTURE.md': 'architecture.md',
  'CHANGELOG.md': 'changelog.md',
  'CONTRIBUTING.md': 'contributing.md',
}

const EXAMPLE = /^(examples\/[\w-]+)\/README\.md$/

/** What a Markdown file of the repository is called on the site; undefined when it is no page of it. */
export function pageName(path: string): string | undefined {
  if (path === 'docs/README.md') return 'index.md'
  if (path.startsWith('docs/')) return path.slice('docs/'.length)
  const example = EXAMPLE.exec(path)?.[1]
  return example === undefined ? MORE_PAGES[path] : `${example}.md`
}

/** Where files that are no pages are, within the site. */
const FILES = 'files'

/** What was linked to, by path within the repository. */
const linked = new Set<string>()

export function siteLinks(md: MarkdownRenderer): void {
  md.core.ruler.push('site-links', ({ tokens, env }) => {
    for (const { children } of tokens) {
      for (const token of children ?? []) {
        const href = token.type === 'link_open' ? token.attrGet('href') : null
        if (href !== null) token.attrSet('href', siteLink(href, env.realPath ?? env.path))
      }
    }
  })
}

/** The same link, for a reader of the site. */
function siteLink(href: string, from: string): string {
  if (/^(?:[a-z]+:|#|\/)/.test(href)) return href
  const [target = '', anchor] = href.split('#')
  const file = join(dirname(from), decodeURI(target))
  const path = relative(ROOT, file)
  const hash = anchor === undefined ? '' : `#${anchor}`
  const page = pageName(path) ?? pageOfFolder(path)
  if (page !== undefined) return `/${page}${hash}`
  if (!existsSync(file)) return href
  linked.add(path)
  return `/${FILES}/${path.replace(/\/$/, '')}.txt`
}

/** An example is told of by its README. */
function pageOfFolder(path: string): string | undefined {
  const readme = join(path, 'README.md')
  return existsSync(join(ROOT, readme)) ? pageName(readme) : undefined
}

/** Puts what pages link to beside them. A folder is the list of what is in it, JSON is without spaces. */
export function copyLinkedFiles(site: string): void {
  for (const path of linked) {
    const from = join(ROOT, path)
    const to = join(site, FILES, `${path.replace(/\/$/, '')}.txt`)
    mkdirSync(dirname(to), { recursive: true })
    if (statSync(from).isDirectory()) writeFileSync(to, `${path}\n\n${readdirSync(from).join('\n')}\n`)
    else if (path.endsWith('.json')) writeFileSync(to, JSON.stringify(JSON.parse(readFileSync(from, 'utf8'))))
    else cpSync(from, to)
  }
}
