// Builds the site of the documentation into dist/site, unless what is there was made of the very same sources.
import { existsSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fingerprint, isBuiltFrom, noteBuiltFrom } from './built-from.ts'
import { ROOT, run } from './command.ts'

const SITE = join(ROOT, 'dist/site')
/** Until it is whole: whoever serves the one that is there goes on doing so. */
const NEW = join(ROOT, 'dist/.site-new')

const print = fingerprint(
  '*.md',
  'docs/**/*.*',
  'examples/**/*.*',
  'schemas/*.*',
  'scripts/docs/*.ts',
  'site/.vitepress/**/*.{ts,css}',
)
if (!isBuiltFrom(SITE, print)) {
  rmSync(NEW, { recursive: true, force: true })
  const { ok, output } = await run(['vitepress', 'build', 'site'], {
    output: 'keep',
    timeoutMs: 120_000,
    env: { WAYBILL_DOCS_OUT: NEW },
  })
  if (ok && existsSync(NEW)) {
    rmSync(SITE, { recursive: true, force: true })
    renameSync(NEW, SITE)
    noteBuiltFrom(SITE, print)
  } else {
    console.error(output)
    process.exitCode = 1
  }
}
