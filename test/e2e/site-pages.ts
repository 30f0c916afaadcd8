// The site as it was built: every page in the navigation, every link leading somewhere, nothing from elsewhere.
import { existsSync, globSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { docPages } from '../../scripts/docs/doc-page.ts'

const BASE = '/docs/'
/** All of it, unpacked. */
const MOST_BYTES = 8 * 1024 * 1024

interface SitePage {
  readonly path: string
  readonly html: string
}

function sitePages(site: string): readonly SitePage[] {
  return globSync('**/*.html', { cwd: site })
    .filter((path) => path !== '404.html')
    .map((path) => ({ path, html: readFileSync(join(site, path), 'utf8') }))
}

/** Links that lead nowhere: `page.html → link`. */
export function deadLinks(site: string): readonly string[] {
  const pages = sitePages(site)
  const ids = new Map(pages.map(({ path, html }) => [path, idsIn(html)]))
  return pages.flatMap(({ path, html }) =>
    [...html.matchAll(/<a [^>]*?href="([^"]*)"/g)]
      .map(([, href = '']) => href.replaceAll('&amp;', '&'))
      .filter((href) => !/^https?:/.test(href))
      .filter((href) => !leadsSomewhere(site, path, href, ids))
      .map((href) => `${path} → ${href}`),
  )
}

function leadsSomewhere(
  site: string,
  from: string,
  href: string,
  ids: ReadonlyMap<string, ReadonlySet<string>>,
): boolean {
  const [target = '', anchor] = href.split('#')
  const within = target.startsWith(BASE) ? target.slice(BASE.length) : join(dirname(from), target)
  const path = target === '' ? from : within === '' || within.endsWith('/') ? `${within}index.html` : within
  if (!existsSync(join(site, path))) return false
  return anchor === undefined || anchor === '' || ids.get(path)?.has(decodeURIComponent(anchor)) === true
}

function idsIn(html: string): ReadonlySet<string> {
  return new Set([...html.matchAll(/ id="([^"]*)"/g)].map(([, id = '']) => id))
}

/** Pages of docs/ that the sidebar of the first page does not lead to. */
export function notInNavigation(site: string): readonly string[] {
  const html = readFileSync(join(site, 'five-minute-start.html'), 'utf8')
  return docPages()
    .map(({ path }) => `${BASE}${path.replace(/\.md$/, '.html')}`)
    .filter((href) => !html.includes(`href="${href}"`))
}

/** Whatever a browser would ask another server for. */
export function askedElsewhere(site: string): readonly string[] {
  const styles = globSync('assets/*.css', { cwd: site }).map((path) => readFileSync(join(site, path), 'utf8'))
  const texts = [...sitePages(site).map(({ html }) => html), ...styles]
  return texts.flatMap((text) => [
    ...(text.match(/<(?:script|img|link|iframe)[^>]*(?:src|href)="https?:[^"]*"/g) ?? []),
    ...(text.match(/(?:url\(|@import )["']?https?:[^)"']*/g) ?? []),
  ])
}

export function isSmall(site: string): boolean {
  const bytes = globSync('**/*.*', { cwd: site }).map((path) => statSync(join(site, path)).size)
  return bytes.reduce((sum, size) => sum + size, 0) <= MOST_BYTES
}
