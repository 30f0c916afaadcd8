import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runNode } from '../e2e/run-node.ts'
import { ROOT } from '../e2e/scratch.ts'
import { freshSchema, type TestServer, testServer } from './server.ts'

describe('a process with a ledger in PostgreSQL', () => {
  let server: TestServer
  const folder = mkdtempSync(join(tmpdir(), 'waybill-process-'))

  beforeAll(async () => {
    server = await testServer()
  })

  afterAll(async () => {
    await server.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  it('lives until what it waits for is done, and not longer', async () => {
    // An idle connection does not keep a process alive. It did not do so either while the tables were looked at, nor while
    // it was closed: a program that had nothing else to do ended in the middle of opening its ledger, without a word.
    const url = new URL(server.url)
    url.searchParams.set('schema', freshSchema())
    const file = join(folder, 'program.ts')
    writeFileSync(
      file,
      `import { openLedger } from '${ROOT}/src/index.ts'
       const ledger = await openLedger('${url.href}')
       await ledger.documents.updateState('a', 'fetching')
       console.log(await ledger.documents.getState('a'))
       await ledger.close()
       console.log('closed')
       const left = await openLedger('${url.href}')
       console.log(await left.documents.getState('a'))`,
    )
    expect(runNode(file)).toMatchObject({ status: 0, stdout: 'fetching\nclosed\nfetching\n' })
  })
})
