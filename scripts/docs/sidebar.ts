// The navigation of the site.
import type { DocPage } from './doc-page.ts'
import { groupedPages } from './groups.ts'

interface Item {
  readonly text: string
  readonly link?: string
  readonly collapsed?: boolean
  readonly items?: readonly Item[]
}

export function sidebar(): Item[] {
  return groupedPages().map(({ title, pages, folders }) => ({
    text: title,
    collapsed: false,
    items: [
      ...pages.map(itemOf),
      ...folders.map((folder) => ({ text: folder.title, collapsed: true, items: folder.pages.map(itemOf) })),
    ],
  }))
}

function itemOf({ path, title }: DocPage): Item {
  return { text: title, link: `/${path.replace(/\.md$/, '')}` }
}
