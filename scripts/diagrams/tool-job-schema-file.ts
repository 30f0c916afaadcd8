// The JSON Schema of tool jobs, for editors and for programs that write job files. It is made from the schema that checks
// them; what JSON Schema cannot say, such as bytes of a text, is checked all the same.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { z } from 'zod'
import { toolJobSchema } from '../../src/orchestrator/tools/tool-job-schema.ts'
import { ROOT } from '../command.ts'

export function toolJobSchemaFile(): string {
  return formatted(JSON.stringify(z.toJSONSchema(toolJobSchema)))
}

/** As the formatter of this repository has it. */
function formatted(json: string): string {
  const biome = join(ROOT, 'node_modules/.bin/biome')
  const { stdout, stderr, status } = spawnSync(biome, ['format', '--stdin-file-path=schema.json'], {
    cwd: ROOT,
    input: json,
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`The schema could not be formatted: ${stderr}`)
  return stdout
}
