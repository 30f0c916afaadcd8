// Builds the page into dist/page, unless what is there was made of the very same sources.
import { createHash } from 'node:crypto'
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT, run } from './command.ts'

const PAGE = join(ROOT, 'dist/page')
const STAMP = join(PAGE, '.built-from')

/** Whatever decides what comes out. Types that the page takes from src/ leave nothing behind in it. */
function fingerprint(): string {
  const hash = createHash('sha256').update(readFileSync(join(ROOT, 'package-lock.json')))
  for (const file of globSync('ui/**/*.{ts,tsx,css,html,svg,json}', { cwd: ROOT }).sort()) {
    hash.update(file).update(readFileSync(join(ROOT, file)))
  }
  return hash.digest('hex')
}

const stamp = fingerprint()
if (!existsSync(STAMP) || readFileSync(STAMP, 'utf8') !== stamp) {
  const { ok, output } = await run(['vite', 'build', '--config', 'ui/vite.config.ts', '--logLevel', 'warn'], {
    output: 'keep',
    timeoutMs: 120_000,
  })
  if (ok) writeFileSync(STAMP, stamp)
  else {
    console.error(output)
    process.exitCode = 1
  }
}
