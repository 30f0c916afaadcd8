// llms.txt, as https://llmstxt.org/ describes it: what programs that read documentation begin with. It lists every page with
// what it is about.
import type { DocPage } from './doc-page.ts'
import { type GroupedPages, groupedPages } from './groups.ts'

const ABOUT = `# Waybill

> A durable ledger and orchestrator for jobs and documents, for Node 24 and newer: where each one is, how it got there, who
> moved it, why it failed and what happens next. A library, a command line and an HTTP server over five engines: memory, a
> folder of files, SQLite, PostgreSQL and Azure Table Storage.

Import from \`waybill\`; open a ledger with \`openLedger(url)\`; register a protocol or a pipeline, submit jobs, start workers.
Work is done at least once, results are taken exactly once. Every page is Markdown, and the examples in it are run by the tests.`

export function llmsFile(): string {
  const groups = groupedPages()
  const sections = groups.flatMap(({ title, pages, folders }: GroupedPages) => [{ title, pages }, ...folders])
  return `${[ABOUT, ...sections.filter(({ pages }) => pages.length > 0).map(sectionOf)].join('\n\n')}\n`
}

function sectionOf({ title, pages }: { title: string; pages: readonly DocPage[] }): string {
  const lines = pages.map((page) => `- [${page.title}](docs/${page.path}): ${page.about}`)
  return `## ${title}\n\n${lines.join('\n')}`
}

/** For the site, whose pages are beside it. */
export function llmsFileOfSite(): string {
  return llmsFile().replaceAll('](docs/', '](')
}
