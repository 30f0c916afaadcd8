// Builds the package: dist/ holds what the compiler made of src/ and Vite of ui/ now, and nothing left from before. What was
// made of the very same sources is left as it is.
import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fingerprint, isBuiltFrom, noteBuiltFrom } from './built-from.ts'
import { ROOT, run } from './command.ts'

const DIST = join(ROOT, 'dist')
/** Have builds of their own, and are in use by servers that run from here. */
const OTHERS = ['page', 'site']

async function compile(): Promise<boolean> {
  const print = fingerprint('src/**/*.ts', 'tsconfig*.json')
  if (isBuiltFrom(DIST, print)) return true
  for (const name of existsSync(DIST) ? readdirSync(DIST) : []) {
    if (!OTHERS.includes(name)) rmSync(join(DIST, name), { recursive: true, force: true })
  }
  const { ok } = await run(['tsc', '-p', 'tsconfig.build.json'], { output: 'show', timeoutMs: 120_000 })
  if (ok) noteBuiltFrom(DIST, print)
  return ok
}

const page = run(['node', 'scripts/build-page.ts'], { output: 'show', timeoutMs: 120_000 })
process.exitCode = (await compile()) && (await page).ok ? 0 : 1
