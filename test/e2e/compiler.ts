import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from './scratch.ts'

export interface CompilerError {
  readonly file: string
  readonly line: number
  readonly message: string
}

/**
 * Settings for the files of a folder in `.scratch/`: those of this repository, but `import 'waybill'` means the types in
 * `dist/`, as it does for everybody else. Those of the source would be checked with all of it, again and again.
 */
export function compilerConfig(folder: string): string {
  const file = join(folder, 'tsconfig.json')
  const compilerOptions = { customConditions: [] }
  writeFileSync(
    file,
    JSON.stringify({ extends: '../../tsconfig.json', include: ['**/*.ts'], compilerOptions }),
  )
  return file
}

/** Type-checks the files of a folder in `.scratch/`. */
export function typeCheck(folder: string): readonly CompilerError[] {
  compilerConfig(folder)
  const tsc = join(ROOT, 'node_modules/.bin/tsc')
  const args = ['-p', folder, '--noEmit', '--pretty', 'false']
  const { status, stdout, stderr } = spawnSync(tsc, args, { cwd: folder, encoding: 'utf8', timeout: 60_000 })
  const errors = [...stdout.matchAll(/^(?:.*\/)?([^/\n]+\.ts)\((\d+),\d+\): error (.*)$/gm)].map(
    ([, file = '', line, message = '']) => ({ file, line: Number(line), message }),
  )
  if (status !== 0 && errors.length === 0) throw new Error(`tsc failed: ${stdout}${stderr}`)
  return errors
}
