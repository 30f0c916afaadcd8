// Builds the package: dist/ holds what the compiler made of src/ now, and nothing left from before.
import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT, run } from './command.ts'

rmSync(join(ROOT, 'dist'), { recursive: true, force: true })
const { ok } = await run(['tsc', '-p', 'tsconfig.build.json'], { output: 'show', timeoutMs: 120_000 })
// The files of the page are no modules: the compiler leaves them where they are.
cpSync(join(ROOT, 'src/server/page'), join(ROOT, 'dist/server/page'), { recursive: true })
process.exitCode = ok ? 0 : 1
