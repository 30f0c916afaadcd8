// Builds the package: dist/ holds what the compiler made of src/ now, and nothing left from before.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT, run } from './command.ts'

rmSync(join(ROOT, 'dist'), { recursive: true, force: true })
const { ok } = await run(['tsc', '-p', 'tsconfig.build.json'], { output: 'show', timeoutMs: 120_000 })
process.exitCode = ok ? 0 : 1
