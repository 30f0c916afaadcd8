// Builds the package: dist/ holds what was made of src/ and ui/ now, and nothing left from before. What was made of the very
// same sources is left as it is.
import { globSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fingerprint, isBuiltFrom, noteBuiltFrom } from './built-from.ts'
import { ROOT, run } from './command.ts'

const DIST = join(ROOT, 'dist')
const OPTIONS = { output: 'show', timeoutMs: 120_000 } as const

async function buildTypes(): Promise<boolean> {
  const print = fingerprint('src/**/*.ts', 'tsconfig*.json')
  if (isBuiltFrom(DIST, print)) return true
  for (const file of globSync('**/*.d.ts{,.map}', { cwd: DIST })) rmSync(join(DIST, file))
  // Whether they are sound is what `npm run check` looks at, at the same time: once is enough.
  const { ok } = await run(['tsc', '-p', 'tsconfig.build.json', '--noCheck'], OPTIONS)
  if (ok) noteBuiltFrom(DIST, print)
  return ok
}

const built = await Promise.all([
  buildTypes(),
  run(['node', 'scripts/build-js.ts'], OPTIONS).then(({ ok }) => ok),
  run(['node', 'scripts/build-page.ts'], OPTIONS).then(({ ok }) => ok),
])
process.exitCode = built.every(Boolean) ? 0 : 1
