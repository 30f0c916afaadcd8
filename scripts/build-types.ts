// Builds the types of the package into dist/, unless those that are there were made of the very same sources.
import { globSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fingerprint, isBuiltFrom, noteBuiltFrom } from './built-from.ts'
import { ROOT, run } from './command.ts'

const DIST = join(ROOT, 'dist')

const print = fingerprint('src/**/*.ts', 'tsconfig*.json')
if (!isBuiltFrom(DIST, print)) {
  for (const file of globSync('**/*.d.ts{,.map}', { cwd: DIST })) rmSync(join(DIST, file))
  // Whether they are sound is what `npm run check` looks at: once is enough.
  const { ok } = await run(['tsc', '-p', 'tsconfig.build.json', '--noCheck'], {
    output: 'show',
    timeoutMs: 120_000,
  })
  if (ok) noteBuiltFrom(DIST, print)
  else process.exitCode = 1
}
