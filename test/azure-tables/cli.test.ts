// The command line on ledgers in tables of Azure: what people see, also of what goes wrong, and never a key.
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { shownUrl } from '../../src/errors/shown-url.ts'
import { runHere } from '../e2e/cli-here.ts'
import { writeProject } from '../e2e/cli-jobs-fixture.ts'
import { jsonLines, Shell, type Told } from '../e2e/cli-run.ts'
import { freePort } from '../fixtures/free-port.ts'
import { dropTables, freshPrefix, type TestTables, testTables } from './azurite.ts'

const WRONG_KEY = 'Wm05dlltRnk='

describe('the command line on Azure tables', () => {
  const shell = new Shell()
  const said: Told[] = []
  const prefixes: string[] = []
  let tables: TestTables

  beforeAll(async () => {
    tables = await testTables()
    writeProject(shell)
  })

  afterAll(async () => {
    await dropTables(...prefixes)
    shell[Symbol.dispose]()
  })

  const fresh = () => {
    const prefix = freshPrefix()
    prefixes.push(prefix)
    const url = tables.address(prefix)
    return { url, shown: shownUrl(url) }
  }

  const run = async (ledger: string, ...args: readonly string[]) => {
    const told = await runHere([...args, '--ledger', ledger])
    said.push(told)
    return told
  }

  const failure = async (ledger: string, ...args: readonly string[]) => {
    const { status, stdout, stderr } = await run(ledger, ...args, '--json')
    expect(stdout).toBe('')
    const { error } = JSON.parse(stderr)
    return {
      status,
      code: error.code as string,
      message: error.message as string,
      next: error.next as string,
    }
  }

  it('makes the tables with init alone, and every command works on them', async () => {
    const { url, shown } = fresh()
    const missing = await failure(url, 'docs', 'list')
    expect(missing).toMatchObject({ status: 2, code: 'NOT_A_LEDGER' })
    expect(missing.next).toBe(`Make one: waybill init --ledger '${shown}'`)
    expect(await failure(url, 'docs', 'set', 'a:1', 'fetching')).toMatchObject({ code: 'NOT_A_LEDGER' })
    expect(await run(url, 'init')).toEqual({
      status: 0,
      stdout: `Made an empty ledger in ${shown}\n`,
      stderr: '',
    })
    const again = await run(url, 'init', '--json')
    expect(JSON.parse(again.stdout)).toEqual({ ledger: shown, created: false })
    expect(await run(url, 'docs', 'set', 'a:1', 'fetching')).toMatchObject({ status: 0, stderr: '' })
    const stats = await run(url, 'ledger', 'stats')
    expect(stats.stdout).toMatch(
      /^ {2}engine +azure-tables\n {2}records +1 document\n {2}history +1 entry\n$/m,
    )
    expect((await run(url, 'ledger', 'verify')).stdout).toContain('Nothing is wrong: 1 record and 1 entry')
    expect((await run(url, 'docs', 'history', 'a:1')).stdout).toContain('fetching')
    expect((await run(url, 'tail', '--from', '0', '--no-follow')).stdout).toContain('a:1')
    expect(await run(url, 'ledger', 'compact', '--keep-history', '1h')).toMatchObject({ status: 0 })
    expect(await failure(url, 'ledger', 'repair')).toMatchObject({ status: 2, code: 'UNSUPPORTED' })
    for (const command of [
      'jobs list',
      'queue list',
      'schedule list',
      'tokens list',
      'ledger stuck',
      'ledger audit',
    ]) {
      expect(await run(url, ...command.split(' '))).toMatchObject({ status: 0 })
    }
  })

  it('takes a job beside the worker that does it', async () => {
    const env = { WAYBILL_LEDGER: fresh().url }
    expect(await shell.run(['init'], env)).toMatchObject({ status: 0, stderr: '' })
    const child = shell.start(['worker', '--name', 'w1', '--json'], env)
    const output = createInterface(child.stdout)[Symbol.asyncIterator]()
    let job_id: string
    try {
      const submitted = await shell.run(['submit', 'FETCH', '--input', 'a', '--output', 'b'], env)
      said.push(submitted)
      expect(submitted).toMatchObject({ status: 0, stderr: '' })
      const { value } = await output.next()
      job_id = submitted.stdout.trim()
      expect(JSON.parse(value as string)).toMatchObject({ job_id, new_state: 'SUCCEEDED', actor: 'w1' })
    } finally {
      child.kill('SIGTERM')
      await once(child, 'close')
    }
    const shown = await run(env.WAYBILL_LEDGER, 'jobs', 'show', job_id)
    expect(shown).toMatchObject({ status: 0, stdout: expect.stringContaining('SUCCEEDED') })
  })

  it('copies a ledger from a folder to Azure tables and back', async () => {
    const places = [shell.path('folder'), fresh().url, shell.path('back')]
    const [folder = '', azure = ''] = places
    await run(folder, 'init')
    for (const state of ['fetching', 'fetched']) await run(folder, 'docs', 'set', 'a:1', state)
    const protocols = shell.path('waybill.protocols.json')
    await run(folder, 'submit', 'FETCH', '--input', 'a', '--output', 'b', '--protocols', protocols)
    for (const [n, to] of places.slice(1).entries()) {
      const copied = await runHere(['ledger', 'copy', places[n] as string, to])
      said.push(copied)
      expect(copied).toMatchObject({ status: 0, stderr: '' })
      expect(await run(to, 'ledger', 'verify')).toMatchObject({ status: 0 })
    }
    const histories = []
    for (const place of places) {
      const { stdout } = await run(place, 'tail', '--from', '0', '--no-follow', '--json')
      histories.push(jsonLines(stdout).map(({ seq: _, cursor: __, ...record }) => record))
    }
    expect(histories[0]?.length).toBeGreaterThan(2)
    expect(histories.slice(1)).toEqual([histories[0], histories[0]])
    const other = fresh().url
    await run(other, 'init')
    await run(other, 'docs', 'set', 'b:1', 'fetching')
    const clash = await runHere(['ledger', 'copy', azure, other, '--json'])
    said.push(clash)
    expect(JSON.parse(clash.stderr).error).toMatchObject({ code: 'NOT_EMPTY' })
  })

  it('takes over an old log', async () => {
    const { url } = fresh()
    const lines = ['fetching', 'fetched'].map((new_state, n) => ({
      doc_id: 'old:1',
      old_state: n === 0 ? 'pending' : 'fetching',
      new_state,
      timestamp: 1_700_000_000 + n,
      adapter: 'gutenberg',
    }))
    const file = shell.path('old.jsonl')
    writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
    expect(await run(url, 'init')).toMatchObject({ status: 0 })
    expect(await run(url, 'ledger', 'migrate', file)).toMatchObject({ status: 0 })
    expect((await run(url, 'docs', 'show', 'old:1')).stdout).toContain('fetched')
    expect(await run(url, 'ledger', 'verify')).toMatchObject({ status: 0 })
  })

  it('says what is wrong with the server, the key and the address', async () => {
    const { url } = fresh()
    await run(url, 'init')
    const wrong = (change: (text: string) => string) => failure(change(url), 'ledger', 'stats')
    const refused = await wrong((text) => text.replace(/AccountKey=[^;]*/, `AccountKey=${WRONG_KEY}`))
    expect(refused).toMatchObject({ status: 1, code: 'LOGIN_REFUSED' })
    expect(refused.next).toContain('Check the key')
    const port = await freePort()
    const away = await wrong((text) => text.replace(/127\.0\.0\.1:\d+/, `127.0.0.1:${port}`))
    expect(away).toMatchObject({ status: 1, code: 'SERVER_UNAVAILABLE' })
    expect(away.message).toContain(`http://127.0.0.1:${port}/`)
    expect(await wrong((text) => text.replace(/TablePrefix=.*/, 'TablePrefix=1-2'))).toMatchObject({
      status: 2,
      code: 'INVALID_INPUT',
      message: '"1-2" cannot be what names of tables begin with',
    })
    for (const odd of [
      'azure-tables:',
      `azure-tables:AccountKey=${WRONG_KEY}`,
      `azure-tables:${WRONG_KEY}`,
    ]) {
      expect(await failure(odd, 'ledger', 'stats')).toMatchObject({ status: 2 })
    }
  })

  it('never printed a key', () => {
    const everything = JSON.stringify(said)
    const key = /AccountKey=([^;]*)/.exec(tables.account)?.[1] as string
    expect(key.length).toBeGreaterThan(20)
    expect(everything).toContain('AccountName=')
    for (const secret of [key, encodeURIComponent(key), WRONG_KEY]) expect(everything).not.toContain(secret)
  })
})
