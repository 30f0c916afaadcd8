// What somebody is told who has not installed NATS's packages: another Node, in which they cannot be found.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { runNode } from '../e2e/run-node.ts'
import { scratch } from '../e2e/scratch.ts'

const SCRIPT = `
import { registerHooks } from 'node:module'
registerHooks({
  resolve(specifier, context, next) {
    if (!specifier.startsWith('@nats-io/')) return next(specifier, context)
    throw Object.assign(new Error('Cannot find package'), { code: 'ERR_MODULE_NOT_FOUND' })
  },
})
const { natsPublisher } = await import('waybill')
const { consumeNats, createService } = await import('waybill/service')
const servers = 'nats://127.0.0.1:4222'
const service = createService({ secrets: 'a secret that is long enough', handlers: { OCR: () => 1 } })
for (const begin of [() => natsPublisher({ servers }), () => consumeNats(service, { servers, durable: 'ocr' })]) {
  await begin().catch(({ name, code, next }) => console.log(name, code, next))
}
`

it('says what to install, as soon as it is needed and no earlier', () => {
  using place = scratch('missing-packages')
  const file = join(place.folder, 'script.mjs')
  writeFileSync(file, SCRIPT)
  const told =
    'MissingPackage MISSING_PACKAGE Install them: npm install @nats-io/transport-node @nats-io/jetstream\n'
  expect(runNode(file)).toEqual({ status: 0, stdout: told.repeat(2), stderr: '' })
})
