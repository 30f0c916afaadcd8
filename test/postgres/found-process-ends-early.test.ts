// A ledger that was there already could not be opened by a process that did nothing else: it ended in the middle, with
// code 13 and a warning of an unsettled await. Connections that have nothing to do do not keep a process alive, and the one
// that had looked after the partitions was given up just then: somebody waited for its end, but nothing else did. The same
// went for the last `close` of a script.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { Child } from '../crash/processes/child-process.ts'
import { freshSchema, type TestServer, testServer } from './server.ts'

let server: TestServer

beforeAll(async () => {
  server = await testServer()
})

afterAll(() => server.stop())

it('a process that does nothing else opens and closes a ledger, new or not', async () => {
  const schema = freshSchema()
  for (let nth = 1; nth <= 3; nth++) {
    const child = new Child('../../postgres/opening-child.ts', [server.url, schema])
    expect(await child.ended()).toEqual({ code: 0, signal: null })
    expect(child.lines).toEqual(['open', 'closed'])
    expect(child.errors).toBe('')
  }
})
