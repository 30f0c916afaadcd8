// The navigation of the site.
import type { DefaultTheme } from 'vitepress'
import type { DocPage } from './doc-page.ts'
import { groupedPages } from './groups.ts'

export function sidebar(): DefaultTheme.SidebarItem[] {
  return groupedPages().map(({ title, pages, folders }) => ({
    text: title,
    collapsed: false,
    items: [
      ...pages.map(itemOf),
      ...folders.map((folder) => ({ text: folder.title, collapsed: true, items: folder.pages.map(itemOf) })),
    ],
  }))
}

function itemOf({ path, title }: DocPage): DefaultTheme.SidebarItem {
  return { text: title, link: `/${path.replace(/\.md$/, '')}` }
}
