import { join } from 'node:path'
import { ROOT, run } from '../../scripts/command.ts'

const BUILT = join(ROOT, '.reports', 'bench-build')

/**
 * The package as users load it, built anew. From its source Node would strip the types first, which takes 30 MB of
 * memory that are not the ledger's.
 */
export async function builtPackage(): Promise<string> {
  const command = ['tsc', '-p', 'tsconfig.build.json', '--outDir', BUILT]
  const { ok, output } = await run(command, { output: 'keep', timeoutMs: 120_000 })
  if (!ok) throw new Error(`the package cannot be built:\n${output}`)
  return BUILT
}
