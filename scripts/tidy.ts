// The house rules that no off-the-shelf tool knows, as a test that fails. Formatting, file and function
// length, enums and default exports are biome's (biome.json).
import { ROOT } from './command.ts'
import { fileNames } from './tidy/file-names.ts'
import { leftovers, outsidePaths, registryHosts, spelling } from './tidy/forbidden-text.ts'
import { importDirection } from './tidy/import-direction.ts'
import { projectFiles } from './tidy/project-files.ts'
import type { Rule } from './tidy/rule.ts'
import { skipReasons } from './tidy/skip-reasons.ts'
import { worldAccess } from './tidy/world-access.ts'

const RULES: readonly Rule[] = [
  importDirection,
  worldAccess,
  fileNames,
  skipReasons,
  leftovers,
  spelling,
  outsidePaths,
  registryHosts,
]

const files = projectFiles(ROOT)
const findings = files.flatMap((file) =>
  RULES.flatMap((rule) => rule.check(file)).map(
    ({ line, what, fix }) => `${file.path}:${line}: ${what} — ${fix}`,
  ),
)
for (const finding of findings) console.error(finding)
if (findings.length > 0) process.exitCode = 1
else console.log(`tidy: ${files.length} files follow the ${RULES.length} house rules`)
