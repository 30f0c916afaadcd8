import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export interface Seen {
  readonly argv: readonly string[]
  readonly cwd: string
  readonly env: { readonly [name: string]: string }
  readonly stdin: string
  /** What was in the file that `--message-file` names. */
  readonly message: string | null
}

/**
 * A program on the PATH that stands in for a tool which cannot be installed here: it writes down how it was called, and
 * does nothing else.
 */
export function standIn(home: string, name: string): { readonly path: string; seen(): Seen } {
  const bin = join(home, 'bin')
  const file = join(home, `${name}.seen.json`)
  mkdirSync(bin, { recursive: true })
  const code = `#!${process.execPath}
const { readFileSync, writeFileSync } = require('node:fs')
const argv = process.argv.slice(2)
const at = argv.indexOf('--message-file')
const message = at < 0 ? null : readFileSync(argv[at + 1], 'utf8')
const stdin = readFileSync(0, 'utf8')
writeFileSync(${JSON.stringify(file)}, JSON.stringify({ argv, cwd: process.cwd(), env: process.env, stdin, message }))
console.log('Applied edit to a.py')
`
  writeFileSync(join(bin, name), code)
  chmodSync(join(bin, name), 0o755)
  return { path: `${bin}:${process.env.PATH}`, seen: () => JSON.parse(readFileSync(file, 'utf8')) as Seen }
}
