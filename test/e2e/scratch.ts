import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'

export const ROOT = join(import.meta.dirname, '../..')

/**
 * A folder for generated code, inside the repository, so that `import 'waybill'` means what it means here; git does not
 * look at it. Gone with the `using` that holds it.
 */
export function scratch(name: string): { readonly folder: string } & Disposable {
  const all = join(ROOT, '.scratch')
  mkdirSync(all, { recursive: true })
  const folder = mkdtempSync(join(all, `${name}-`))
  return { folder, [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) }
}
