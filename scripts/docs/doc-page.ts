// The pages in docs/, with what navigation, index and llms.txt tell of each: its title and what it begins with.
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../command.ts'

export interface DocPage {
  /** Within docs/: `jobs.md`, `recipes/cron.md`. */
  readonly path: string
  readonly title: string
  /** Its first sentence, as plain Markdown without links. */
  readonly about: string
  readonly text: string
}

const FOLDER = 'docs'

/** The index, which is made from the others. */
const INDEX = 'README.md'

export function docPages(): readonly DocPage[] {
  return globSync('**/*.md', { cwd: join(ROOT, FOLDER) })
    .filter((path) => path !== INDEX)
    .sort()
    .map((path) => docPage(path, readFileSync(join(ROOT, FOLDER, path), 'utf8')))
}

function docPage(path: string, text: string): DocPage {
  const title = /^# (.+)$/m.exec(text)?.[1]
  if (title === undefined) throw new Error(`docs/${path} has no title: begin it with "# What it is about"`)
  return { path, title, about: firstSentence(path, text), text }
}

function firstSentence(path: string, text: string): string {
  const paragraph = text
    .replace(/^```[\s\S]*?^```$/gm, '')
    .split(/\n{2,}/)
    .map((block) => block.trim())
    .find((block) => /^[A-Z`*_[“"]/.test(block))
  if (paragraph === undefined)
    throw new Error(`docs/${path} says nothing of itself: begin it with a sentence`)
  const plain = paragraph.replace(/\s+/g, ' ').replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
  return /^.*?[.:!?](?=\s[A-Z“"(`*_]|$)/.exec(plain)?.[0].replace(/:$/, '.') ?? plain
}
