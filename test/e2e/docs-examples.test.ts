// The documentation tells the truth: its examples compile, run, and print what it says they print.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { protocols } from '../../examples/protocols/all.ts'
import { typeCheck } from './compiler.ts'
import { page, pages } from './pages.ts'
import { runNode } from './run-node.ts'
import { fences, runnableBlocks } from './runnable-blocks.ts'
import { ROOT, scratch } from './scratch.ts'

const { folder, [Symbol.dispose]: cleanUp } = scratch('docs')
afterAll(cleanUp)

const examples = pages.flatMap(({ path, text }) =>
  runnableBlocks(text).map((block) => ({
    ...block,
    where: `${path}:${block.line}`,
    file: fileOf(path, block.line),
  })),
)
for (const { file, code } of examples) writeFileSync(join(folder, file), code)

/** They need something that is not there when the tests run, such as a server. */
const onlyToRead = pages.flatMap(({ path, text }) =>
  fences(text).flatMap(({ info, line, text }) => (info === 'ts' ? { file: fileOf(path, line), text } : [])),
)
for (const { file, text } of onlyToRead) writeFileSync(join(folder, file), text)

/** For those who write an engine here: a file of the source, whose types are in `dist/` with all the others. */
const SOURCE = /'\.\.\/\.\.\/src\/([^']+)\.ts'/g

function fileOf(path: string, line: number): string {
  return `${path.replace(/\W+/g, '-').toLowerCase()}-${line}.ts`
}

it('the examples in the documentation compile', () => {
  expect(examples.length).toBeGreaterThanOrEqual(5)
  using copy = scratch('docs-types')
  for (const file of readdirSync(folder)) {
    const text = readFileSync(join(folder, file), 'utf8')
    writeFileSync(join(copy.folder, file), text.replace(SOURCE, "'../../dist/$1.js'"))
  }
  expect(typeCheck(copy.folder)).toEqual([])
})

describe('the examples in the documentation run', () => {
  it.each(examples)('$where', ({ file, output }) => {
    const ran = runNode(join(folder, file))
    expect(ran).toMatchObject({ status: 0, stderr: '' })
    if (output !== null) expect(ran.stdout).toBe(output)
  })
})

it('the first example of the README is examples/quick-start.ts', () => {
  expect(runnableBlocks(page('README.md'))[0]?.code).toBe(
    readFileSync(join(ROOT, 'examples/quick-start.ts'), 'utf8'),
  )
})

it('A22: the six protocols are registered as they are, and answer their request types', async () => {
  const { openLedger } = await import('waybill')
  await using ledger = await openLedger('memory:')
  const told: string[] = []
  for (const protocol of protocols) {
    ledger.jobs.register(protocol)
    const { job_id } = await ledger.jobs.submit({
      tenant_id: 't1',
      request_type: protocol.request_type,
      input_ref: 'in',
      output_ref: 'out',
      payload: {},
      schema_version: 'v1',
    })
    const { job, steps } = (await ledger.jobs.show(job_id, 't1')) ?? { job: undefined, steps: [] }
    told.push(
      `${job?.protocol_id} ${steps.map(({ step_type }) => step_type).join('->')} ${job?.request_type}`,
    )
  }
  expect(told).toEqual([
    'atomic-ocr.v1 OCR OCR',
    'atomic-embedding.v1 EMBEDDING EMBEDDING',
    'atomic-sis.v1 SIS SIS',
    'ocr-embedding.v1 OCR->EMBEDDING OCR->EMBEDDING',
    'embedding-sis.v1 EMBEDDING->SIS EMBEDDING->SIS',
    'ocr-embedding-sis.v1 OCR->EMBEDDING->SIS OCR->EMBEDDING->SIS',
  ])
})

describe('an example that is wrong', () => {
  it('does not compile', () => {
    using copy = scratch('docs-wrong')
    writeFileSync(join(copy.folder, 'wrong.ts'), `import { openLedgr } from 'waybill'\nopenLedgr()\n`)
    expect(typeCheck(copy.folder)).toMatchObject([{ file: 'wrong.ts', line: 1 }])
  })

  it('is found with what it was to print', () => {
    const text =
      'Look:\n\n```ts runnable\nconsole.log(1)\n```\n\n```text output\n2\n```\n\n```ts\nnot run\n```\n'
    expect(runnableBlocks(text)).toEqual([{ line: 3, code: 'console.log(1)\n', output: '2\n' }])
    expect(() => runnableBlocks('```ts runnable\n')).toThrow('line 1 does not end')
  })
})
