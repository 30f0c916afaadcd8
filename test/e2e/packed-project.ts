// The package as its users get it: packed, and installed into an empty project.
import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { quickFolder } from '../fixtures/quick-folder.ts'
import { ROOT } from './scratch.ts'

export interface PackedProject extends Disposable {
  readonly app: string
  readonly tarball: string
}

export function packedProject(): PackedProject {
  const folder = quickFolder('waybill-package-')
  const app = join(folder, 'app')
  npm(ROOT, 'pack', '--pack-destination', folder)
  const tarball = join(folder, readdirSync(folder).find((name) => name.endsWith('.tgz')) ?? 'no tarball')
  mkdirSync(app)
  // Named here and not to npm, which would unpack it once more to find out what it is called.
  const dependencies = { waybill: `file:${tarball}` }
  writeFileSync(join(app, 'package.json'), JSON.stringify({ private: true, type: 'module', dependencies }))
  npm(app, 'install', '--omit=dev', '--no-audit', '--no-fund', '--prefer-offline')
  return { app, tarball, [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) }
}

/** On a busy machine the builds before packing take minutes. */
export const PATIENCE_MS = 280_000

function npm(cwd: string, ...args: string[]) {
  execFileSync('npm', [...args, '--loglevel=error'], {
    cwd,
    encoding: 'utf8',
    stdio: 'pipe',
    timeout: PATIENCE_MS,
  })
}
