// What the site has beside its pages: llms.txt, and each page as the Markdown it was made of, at the same address but for its
// ending, for programs that read.
import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { ROOT } from '../command.ts'
import { docPages } from './doc-page.ts'
import { llmsFileOfSite } from './llms.ts'

export function writeSiteFiles(site: string): void {
  for (const { path } of docPages()) {
    const to = join(site, path)
    mkdirSync(dirname(to), { recursive: true })
    cpSync(join(ROOT, 'docs', path), to)
  }
  writeFileSync(join(site, 'llms.txt'), llmsFileOfSite())
}
