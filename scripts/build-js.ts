// Builds what runs of the package into dist/, unless what is there was made of the very same sources. Node takes longer to find
// and link a thousand small files than to run what is in them, so they are put together: a file for each way in, and parts that
// those share, so that a class is the same one whichever way a program came in.
import { globSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { rolldown } from 'rolldown'
import { fingerprint, isBuiltFrom, noteBuiltFrom } from './built-from.ts'
import { askedForBuiltins } from './builtins.ts'
import { ROOT } from './command.ts'
import { lateParts, loadedLate } from './late-parts.ts'
import { Parts } from './parts.ts'

const DIST = join(ROOT, 'dist')
/** As deep as the folders of `src/`: some files name others by where they are, and threads by what lies beside them. */
const PARTS = 'parts'

const WAYS_IN = {
  index: 'src/index.ts',
  'server/index': 'src/server/index.ts',
  'service/index': 'src/service/index.ts',
  'testing/index': 'src/testing/index.ts',
  'cli/main': 'src/cli/main.ts',
  [`${PARTS}/compaction-worker`]: 'src/store/journal/compaction-worker.ts',
  [`${PARTS}/sqlite-worker`]: 'src/store/sqlite/sqlite-worker.ts',
}

/** Put in, so that nobody has to install them. Whoever imports zod gets ninety files, half of them messages in other languages, and
 * every start waited for them; it brings several megabytes along. */
const PUT_IN = ['zod']

function licenseOf(name: string): string {
  const folder = join(ROOT, 'node_modules', name)
  const [file = ''] = globSync('LICENSE*', { cwd: folder })
  return readFileSync(join(folder, file), 'utf8').trim()
}

async function build(): Promise<void> {
  // What is left of an older build, by whichever tool; types, the page and the site have builds of their own.
  for (const file of globSync('**/*.js{,.map}', { cwd: DIST, exclude: ['page/**', 'site/**'] }))
    rmSync(join(DIST, file))
  const parts = new Parts(PUT_IN)
  const bundle = await rolldown({
    cwd: ROOT,
    input: { ...WAYS_IN, ...lateParts(PARTS) },
    plugins: [loadedLate(PARTS), parts.plugin, askedForBuiltins()],
    platform: 'node',
    // Parts that have more in them than who asks for them knows of.
    preserveEntrySignatures: 'allow-extension',
    // As for the compiler: a Node that is too old has to get as far as being told so.
    transform: { target: 'es2023' },
    // Dependencies stay what they are: installed, and kept up to date, by npm. What newer syntax is made of is none of them.
    external: (id) => !PUT_IN.includes(id) && !/^(?:[./]|@oxc-project\/runtime)/.test(id),
    logLevel: 'warn',
  })
  await bundle.write({
    dir: DIST,
    entryFileNames: '[name].js',
    chunkFileNames: `${PARTS}/[name].js`,
    banner: ({ name }) => (PUT_IN.includes(name) ? `/*!\n${licenseOf(name)}\n*/` : ''),
    codeSplitting: {
      includeDependenciesRecursively: false,
      groups: [{ name: (id) => parts.of(id), debugName: 'parts' }],
    },
  })
  await bundle.close()
}

const print = fingerprint(
  'src/**/*.ts',
  'tsconfig.json',
  'scripts/build-js.ts',
  'scripts/{builtins,late-parts,parts}.ts',
)
if (!isBuiltFrom(join(DIST, PARTS), print)) {
  await build()
  noteBuiltFrom(join(DIST, PARTS), print)
}
