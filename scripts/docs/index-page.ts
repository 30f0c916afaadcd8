// The index of docs/, as it is read in a checkout and at the beginning of the site.
import type { DocPage } from './doc-page.ts'
import { groupedPages } from './groups.ts'

export function indexRegion(): string {
  return groupedPages()
    .map(({ title, about, pages, folders }) =>
      [
        `## ${title}`,
        about,
        listOf(pages),
        ...folders.map((folder) => `### ${folder.title}\n\n${listOf(folder.pages)}`),
      ]
        .filter((part) => part !== '')
        .join('\n\n'),
    )
    .join('\n\n')
}

function listOf(pages: readonly DocPage[]): string {
  return pages.map(({ path, title, about }) => `- [${title}](${path}): ${about}`).join('\n')
}
