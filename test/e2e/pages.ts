import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from './scratch.ts'

export interface DocPage {
  /** Relative to the repository. */
  readonly path: string
  readonly text: string
}

/** Everything that is written for people. */
export const pages: readonly DocPage[] = globSync(['*.md', 'docs/**/*.md'], { cwd: ROOT })
  .sort()
  .map((path) => ({ path, text: readFileSync(join(ROOT, path), 'utf8') }))

export function page(path: string): string {
  const found = pages.find((candidate) => candidate.path === path)
  if (found === undefined) throw new Error(`There is no ${path}`)
  return found.text
}
