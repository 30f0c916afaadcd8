import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { ROOT } from '../command.ts'

/** As the formatter of this repository has it. */
export function formattedJson(value: unknown): string {
  const biome = join(ROOT, 'node_modules/.bin/biome')
  const { stdout, stderr, status } = spawnSync(biome, ['format', '--stdin-file-path=schema.json'], {
    cwd: ROOT,
    input: JSON.stringify(value),
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`The schema could not be formatted: ${stderr}`)
  return stdout
}
