// Builds the package: dist/ holds what was made of src/ and ui/ now, and nothing left from before. What was made of the very
// same sources is left as it is.
import { run } from './command.ts'

const PARTS = ['types', 'js', 'page']

const built = await Promise.all(
  PARTS.map((part) => run(['node', `scripts/build-${part}.ts`], { output: 'show', timeoutMs: 120_000 })),
)
process.exitCode = built.every(({ ok }) => ok) ? 0 : 1
