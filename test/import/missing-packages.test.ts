// What somebody is told who has not installed the client of Redis: another Node, in which it cannot be found.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { runNode } from '../e2e/run-node.ts'
import { ROOT, scratch } from '../e2e/scratch.ts'

const SCRIPT = `
import { registerHooks } from 'node:module'
registerHooks({
  resolve(specifier, context, next) {
    if (specifier !== 'ioredis') return next(specifier, context)
    throw Object.assign(new Error('Cannot find package'), { code: 'ERR_MODULE_NOT_FOUND' })
  },
})
const { BullmqSource } = await import(${JSON.stringify(join(ROOT, 'src/ledger/import/bullmq/bullmq-source.ts'))})
await BullmqSource.open('redis://127.0.0.1:1', { prefix: 'bull', wants: () => true, withSchedules: true }).catch(
  ({ name, code, next }) => console.log(name, code, next),
)
`

it('says what to install for BullMQ, as soon as it is needed', () => {
  using place = scratch('missing-redis')
  const file = join(place.folder, 'script.mjs')
  writeFileSync(file, SCRIPT)
  const told = 'MissingPackage MISSING_PACKAGE Install them: npm install ioredis\n'
  expect(runNode(file)).toEqual({ status: 0, stdout: told, stderr: '' })
})
