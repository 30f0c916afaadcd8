// Builds the types of the package into dist/, unless those that are there were made of the very same sources.
import { globSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { fingerprint, isBuiltFrom, noteBuiltFrom } from './built-from.ts'
import { ROOT, run } from './command.ts'

const DIST = join(ROOT, 'dist')

/** Where whoever reads types begins: the ways in, and an engine that docs/store-contract.md shows. The rest is four files of five. */
const WAYS_IN = ['index', 'server/index', 'service/index', 'testing/index', 'store/memory/memory-store'].map(
  (name) => `${name}.d.ts`,
)

const IMPORTED = /(?:\bfrom |\bimport\(|\bimport )['"](\.[^'"]+)\.[jt]s['"]/g

function removeUnreachable(): void {
  const reached = new Set(WAYS_IN)
  // What is added on the way is gone through, too.
  for (const file of reached) {
    const text = readFileSync(join(DIST, file), 'utf8')
    for (const [, path = ''] of text.matchAll(IMPORTED))
      reached.add(normalize(`${join(dirname(file), path)}.d.ts`))
  }
  for (const file of globSync('**/*.d.ts', { cwd: DIST })) if (!reached.has(file)) rmSync(join(DIST, file))
}

const print = fingerprint('src/**/*.ts', 'tsconfig*.json', 'scripts/build-types.ts')
if (!isBuiltFrom(DIST, print)) {
  for (const file of globSync('**/*.d.ts{,.map}', { cwd: DIST })) rmSync(join(DIST, file))
  // Whether they are sound is what `npm run check` looks at: once is enough.
  const { ok } = await run(['tsc', '-p', 'tsconfig.build.json', '--noCheck'], {
    output: 'show',
    timeoutMs: 120_000,
  })
  if (ok) {
    removeUnreachable()
    noteBuiltFrom(DIST, print)
  } else process.exitCode = 1
}
