// What belongs together, in the order in which it is read. The sidebar of the site, the index of docs/ and llms.txt all
// follow it. Whoever adds a page to one of the folders need not come here.
import { type DocPage, docPages } from './doc-page.ts'

interface Group {
  readonly title: string
  readonly about: string
  /** Names of pages, without `.md`. */
  readonly pages: readonly string[]
  /** Folders whose pages follow, each under a title of its own. */
  readonly folders?: readonly { readonly name: string; readonly title: string }[]
}

const GROUPS: readonly Group[] = [
  {
    title: 'Start',
    about: 'From nothing to a job that survives its process.',
    pages: ['five-minute-start', 'choosing-an-engine'],
  },
  {
    title: 'Use',
    about: 'What a program does with it.',
    pages: [
      'jobs',
      'documents',
      'pipelines',
      'services',
      'tool-jobs',
      'tool-adapters',
      'http',
      'events',
      'page',
      'tokens',
    ],
    folders: [{ name: 'recipes', title: 'Recipes' }],
  },
  {
    title: 'Run',
    about: 'For people who look after a ledger.',
    pages: ['server', 'runbook', 'memory', 'journal', 'sqlite', 'postgres', 'azure-tables'],
  },
  {
    title: 'Understand',
    about: 'What is promised, why it is so, and how others do it.',
    pages: ['guarantees', 'state-machines', 'acceptance', 'benchmarks'],
    folders: [{ name: 'compared', title: 'Compared with' }],
  },
  {
    title: 'Move',
    about: 'From what you have to Waybill, and from one engine to another.',
    pages: ['copying', 'migration'],
    folders: [{ name: 'moving', title: 'Moving from' }],
  },
  {
    title: 'Reference',
    about: 'Everything, one by one.',
    pages: ['cli', 'http-reference', 'errors', 'tables', 'journal-format', 'store-contract'],
  },
]

/** Where pages go that nobody has placed yet: nothing is left out. */
const OTHERWISE = 'Reference'

interface GroupedFolder {
  readonly title: string
  readonly pages: readonly DocPage[]
}

export interface GroupedPages {
  readonly title: string
  readonly about: string
  readonly pages: readonly DocPage[]
  readonly folders: readonly GroupedFolder[]
}

export function groupedPages(all: readonly DocPage[] = docPages()): readonly GroupedPages[] {
  const named = new Set(GROUPS.flatMap(({ pages }) => pages.map((name) => `${name}.md`)))
  const folders = new Set(GROUPS.flatMap(({ folders = [] }) => folders.map(({ name }) => name)))
  const rest = all.filter(({ path }) => !named.has(path) && !folders.has(folderOf(path)))
  return GROUPS.map(({ title, about, pages, folders = [] }) => ({
    title,
    about,
    pages: [
      ...pages.flatMap((name) => all.filter(({ path }) => path === `${name}.md`)),
      ...(title === OTHERWISE ? rest : []),
    ],
    folders: folders
      .map((folder) => ({
        title: folder.title,
        pages: all.filter(({ path }) => folderOf(path) === folder.name),
      }))
      .filter(({ pages }) => pages.length > 0),
  }))
}

function folderOf(path: string): string {
  return path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : ''
}
