// Brings what is made from the code up to date: the state machines, the error codes and the routes in docs/, the schema of
// tool jobs, and the OpenAPI document; and then what is made from the pages: their index and llms.txt. With --check it writes nothing, and fails when a file is not what the code says.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from './command.ts'
import { errorCodesRegion } from './diagrams/error-codes.ts'
import { httpReferenceRegion } from './diagrams/http-reference.ts'
import { openApiFile } from './diagrams/openapi-file.ts'
import { replaceRegion } from './diagrams/region.ts'
import { stateMachinesRegion } from './diagrams/state-machines.ts'
import { toolJobSchemaFile } from './diagrams/tool-job-schema-file.ts'
import { indexRegion } from './docs/index-page.ts'
import { llmsFile } from './docs/llms.ts'

interface Generated {
  readonly path: string
  /** What the file has to be, from what it is. */
  readonly made: (before: string) => string
}

const GENERATED: readonly Generated[] = [
  {
    path: 'docs/state-machines.md',
    made: (page) => replaceRegion(page, 'state machines', stateMachinesRegion()),
  },
  { path: 'docs/errors.md', made: (page) => replaceRegion(page, 'error codes', errorCodesRegion()) },
  { path: 'docs/http-reference.md', made: (page) => replaceRegion(page, 'routes', httpReferenceRegion()) },
  { path: 'schemas/tool-job.schema.json', made: toolJobSchemaFile },
  { path: 'schemas/openapi.json', made: openApiFile },
  { path: 'docs/README.md', made: (page) => replaceRegion(page, 'index', indexRegion()) },
  { path: 'llms.txt', made: llmsFile },
]

const check = process.argv.includes('--check')
for (const { path, made } of GENERATED) {
  const file = join(ROOT, path)
  const before = existsSync(file) ? readFileSync(file, 'utf8') : ''
  const after = made(before)
  if (after === before) console.log(`${path} is up to date`)
  else if (check) {
    console.error(`${path} is not what the code says — run \`npm run diagrams\` and commit the result`)
    process.exitCode = 1
  } else {
    writeFileSync(file, after)
    console.log(`${path} written`)
  }
}
