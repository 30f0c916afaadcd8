// Brings the parts of docs/ that are made from the code up to date: the state machines and the error codes.
// With --check it writes nothing, and fails when a page is not what the code says.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from './command.ts'
import { errorCodesRegion } from './diagrams/error-codes.ts'
import { replaceRegion } from './diagrams/region.ts'
import { stateMachinesRegion } from './diagrams/state-machines.ts'

const PAGES = [
  { path: 'docs/state-machines.md', region: 'state machines', body: stateMachinesRegion },
  { path: 'docs/errors.md', region: 'error codes', body: errorCodesRegion },
]

const check = process.argv.includes('--check')
for (const { path, region, body } of PAGES) {
  const file = join(ROOT, path)
  const before = readFileSync(file, 'utf8')
  const after = replaceRegion(before, region, body())
  if (after === before) console.log(`${path} is up to date`)
  else if (check) {
    console.error(`${path} is not what the code says — run \`npm run diagrams\` and commit the result`)
    process.exitCode = 1
  } else {
    writeFileSync(file, after)
    console.log(`${path} written`)
  }
}
