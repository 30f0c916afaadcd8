// Builds the package: dist/ holds what the compiler made of src/ and Vite of ui/ now, and nothing left from before.
import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT, run } from './command.ts'

const DIST = join(ROOT, 'dist')
/** Made anew only when its sources changed, and in use by servers that run from here. */
const PAGE = 'page'

for (const name of readdirSync(ROOT).includes('dist') ? readdirSync(DIST) : []) {
  if (name !== PAGE) rmSync(join(DIST, name), { recursive: true, force: true })
}
const built = await Promise.all([
  run(['tsc', '-p', 'tsconfig.build.json'], { output: 'show', timeoutMs: 120_000 }),
  run(['node', 'scripts/build-page.ts'], { output: 'show', timeoutMs: 120_000 }),
])
process.exitCode = built.every(({ ok }) => ok) ? 0 : 1
