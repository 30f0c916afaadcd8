import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from './scratch.ts'

export interface CompilerError {
  readonly file: string
  readonly line: number
  readonly message: string
}

/** Type-checks the files of a folder in `.scratch/` with the settings of this repository. */
export function typeCheck(folder: string): readonly CompilerError[] {
  const config = { extends: '../../tsconfig.json', include: ['*.ts'] }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config))
  const tsc = join(ROOT, 'node_modules/.bin/tsc')
  const args = ['-p', folder, '--noEmit', '--pretty', 'false']
  const { status, stdout, stderr } = spawnSync(tsc, args, { cwd: folder, encoding: 'utf8', timeout: 60_000 })
  const errors = [...stdout.matchAll(/^(?:.*\/)?([^/\n]+\.ts)\((\d+),\d+\): error (.*)$/gm)].map(
    ([, file = '', line, message = '']) => ({ file, line: Number(line), message }),
  )
  if (status !== 0 && errors.length === 0) throw new Error(`tsc failed: ${stdout}${stderr}`)
  return errors
}
