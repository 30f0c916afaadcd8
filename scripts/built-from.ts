// Remembers what something was built from, so that it is built again only when that has changed.
import { createHash } from 'node:crypto'
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from './command.ts'

/** Whatever decides what comes out: these files, and the tools. */
export function fingerprint(...patterns: readonly string[]): string {
  const hash = createHash('sha256').update(readFileSync(join(ROOT, 'package-lock.json')))
  for (const file of globSync(patterns, { cwd: ROOT }).sort()) {
    hash.update(file).update(readFileSync(join(ROOT, file)))
  }
  return hash.digest('hex')
}

const STAMP = '.built-from'

export function isBuiltFrom(folder: string, print: string): boolean {
  const stamp = join(folder, STAMP)
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === print
}

export function noteBuiltFrom(folder: string, print: string): void {
  writeFileSync(join(folder, STAMP), print)
}
