import { posix } from 'node:path'
import { type Import, importsOf } from './imports.ts'
import { allowedLayers, type Layer, layerOf, mayImport } from './layers.ts'
import type { Finding, Rule } from './rule.ts'
import { isCode, isTest, type SourceFile } from './source-file.ts'

export const importDirection: Rule = {
  name: 'import direction',
  check(file) {
    if (!isCode(file)) return []
    // A test looks at its subject from outside, and may use whatever it likes.
    if (isTest(file)) return []
    if (file.path.startsWith('src/')) return checkSource(file)
    return file.path.startsWith('ui/') ? checkUi(file) : []
  },
}

function checkSource(file: SourceFile): Finding[] {
  const from = layerOf(file.path)
  if (from === undefined) {
    const fix = 'move it into a layer, or add the new layer to scripts/tidy/layers.ts'
    return [{ line: 1, what: `${posix.dirname(file.path)}/ is in no layer`, fix }]
  }
  return importsOf(file).flatMap((imported) => {
    const target = targetOf(file, imported)
    if (target === undefined) return from === 'core' ? checkCoreOutside(imported) : []
    return checkLayer(from, imported, target)
  })
}

function checkLayer(from: Layer, imported: Import, target: string): Finding[] {
  const to = target.startsWith('src/') ? layerOf(target) : undefined
  if (to !== undefined && mayImport(from, to, target)) return []
  const fix = `${from} may import from ${allowedLayers(from)}: turn the dependency round or move the code`
  return [{ line: imported.line, what: `${from} imports ${target}`, fix }]
}

function checkCoreOutside({ specifier, line }: Import): Finding[] {
  const fix = 'core has no dependency and touches nothing outside: pass in what it needs'
  return [{ line, what: `core imports ${specifier}`, fix }]
}

function checkUi(file: SourceFile): Finding[] {
  return importsOf(file)
    .filter((imported) => !imported.typeOnly && targetOf(file, imported)?.startsWith('src/'))
    .map(({ line, specifier }) => ({
      line,
      what: `ui imports ${specifier}`,
      fix: 'ui speaks HTTP: use `import type`, or fetch it from the server',
    }))
}

/** The imported file, relative to the repository; undefined for packages and Node's own modules. */
function targetOf(file: SourceFile, { specifier }: Import): string | undefined {
  if (specifier === 'waybill') return 'src/index.ts'
  if (specifier === 'waybill/service') return 'src/service/index.ts'
  if (specifier === 'waybill/testing') return 'src/testing/index.ts'
  return specifier.startsWith('.') ? posix.join(posix.dirname(file.path), specifier) : undefined
}
