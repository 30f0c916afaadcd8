// The command line on ledgers in SQLite, which other processes have open as well.
import { once } from 'node:events'
import { existsSync, writeFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runHere } from './cli-here.ts'
import { writeProject } from './cli-jobs-fixture.ts'
import { jsonLines, Shell } from './cli-run.ts'

const shell = new Shell()

beforeAll(() => writeProject(shell))

afterAll(() => shell[Symbol.dispose]())

const url = (name: string) => `sqlite:${shell.path(name)}`

const run = (ledger: string, ...args: readonly string[]) => runHere([...args, '--ledger', ledger])

describe('a ledger in SQLite', () => {
  it('is made by init alone, and never in place of something else', async () => {
    const missing = await run(url('made.db'), 'docs', 'list')
    expect(missing).toMatchObject({ status: 3, stdout: '' })
    expect(missing.stderr).toContain(`waybill init ${url('made.db')}`)
    expect(existsSync(shell.path('made.db'))).toBe(false)
    const made = { status: 0, stdout: `Made an empty ledger in ${url('made.db')}\n`, stderr: '' }
    expect(await runHere(['init', url('made.db')])).toEqual(made)
    const again = await run(url('made.db'), 'init', '--json')
    expect(JSON.parse(again.stdout)).toEqual({ ledger: url('made.db'), created: false })

    writeFileSync(shell.path('empty.db'), '')
    expect(await run(url('empty.db'), 'docs', 'list')).toMatchObject({ status: 2 })
    expect(await run(url('empty.db'), 'init')).toMatchObject({ status: 0 })
    const other = new DatabaseSync(shell.path('other.db'))
    other.exec('CREATE TABLE precious (thesis TEXT)')
    other.close()
    expect(await run(url('other.db'), 'init')).toMatchObject({ status: 2, stdout: '' })
    writeFileSync(shell.path('text.db'), 'precious'.repeat(1000))
    expect((await run(url('text.db'), 'init')).status).not.toBe(0)
  })

  it('is written and read by every command', async () => {
    const ledger = url('used.db')
    await run(ledger, 'init')
    const set = await run(ledger, 'docs', 'set', 'a:1', 'fetching', '--adapter', 'arxiv')
    expect(set).toEqual({ status: 0, stdout: 'a:1: pending → fetching\n', stderr: '' })
    const listed = await run(ledger, 'docs', 'list', '--json')
    expect(jsonLines(listed.stdout)).toMatchObject([{ doc_id: 'a:1', state: 'fetching' }])
    const stats = await run(ledger, 'ledger', 'stats')
    expect(stats.stdout).toMatch(/^ {2}engine +sqlite\n {2}records +1 document\n {2}history +1 entry\n$/m)
    expect(await run(ledger, 'ledger', 'verify')).toMatchObject({
      status: 0,
      stdout: 'Nothing is wrong: 1 record and 1 entry of history agree.\n',
    })
    expect(await run(ledger, 'ledger', 'compact')).toEqual({
      status: 0,
      stdout: 'Cleared up. A ledger in a database has no snapshots to make.\n',
      stderr: '',
    })
    const queue = await run(ledger, 'queue', 'pause', 'fetch', '--reason', 'no licence')
    expect(queue.stdout).toBe('fetch: paused\n')
    const reading = [
      'jobs list',
      'ledger stuck',
      'ledger audit',
      'ledger history a:1',
      'queue list',
      'schedule list',
    ]
    const told = await Promise.all(reading.map((command) => run(ledger, ...command.split(' '))))
    expect(told.map(({ status, stderr }) => [status, stderr.includes('error:')])).toEqual(
      reading.map(() => [0, false]),
    )
  })

  it('says of what is for folders that it is', async () => {
    const ledger = url('folders.db')
    await run(ledger, 'init')
    const repair = await run(ledger, 'ledger', 'repair', '--json')
    expect(repair).toMatchObject({ status: 2, stdout: '' })
    expect(JSON.parse(repair.stderr).error).toMatchObject({
      code: 'UNSUPPORTED',
      next: expect.stringContaining('.recover'),
    })
    const compact = await run(ledger, 'ledger', 'compact', '--output', shell.path('out.gz'))
    expect(compact).toMatchObject({ status: 2, stdout: '' })
    expect(existsSync(shell.path('out.gz'))).toBe(false)
    expect(await run(ledger, 'ledger', 'migrate')).toMatchObject({ status: 2 })
  })

  it('takes a job beside the worker that does it', async () => {
    const env = { WAYBILL_LEDGER: url('beside.db') }
    await shell.run(['init'], env)
    const child = shell.start(['worker', '--name', 'w1', '--json'], env)
    const output = createInterface(child.stdout)[Symbol.asyncIterator]()
    try {
      const submitted = await shell.run(['submit', 'FETCH', '--input', 'a', '--output', 'b'], env)
      expect(submitted).toMatchObject({ status: 0, stderr: '' })
      const { value } = await output.next()
      expect(JSON.parse(value as string)).toMatchObject({
        job_id: submitted.stdout.trim(),
        new_state: 'SUCCEEDED',
        actor: 'w1',
      })
    } finally {
      child.kill('SIGTERM')
      await once(child, 'close')
    }
  })

  it('is copied from a folder and back, and to nowhere that holds another', async () => {
    const [folder, back] = [shell.path('folder'), shell.path('back')]
    await run(folder, 'init')
    for (const state of ['fetching', 'fetched', 'parsing']) await run(folder, 'docs', 'set', 'a:1', state)
    const there = await runHere(['ledger', 'copy', folder, url('copy.db')])
    expect(there).toEqual({
      status: 0,
      stdout: `${url('copy.db')} has 1 record and 3 entries of history, 3 of them from now.\n`,
      stderr: '',
    })
    const more = await runHere(['ledger', 'copy', url('copy.db'), back, '--json'])
    expect(JSON.parse(more.stdout)).toMatchObject({ copied_audit_records: 3 })
    const histories = await Promise.all(
      [folder, url('copy.db'), back].map((ledger) => run(ledger, 'docs', 'history', 'a:1', '--json')),
    )
    const [before, ...after] = histories.map(({ stdout }) =>
      // Where in the log something stands is each engine's own business.
      jsonLines(stdout).map(({ seq: _, cursor: __, ...record }) => record),
    )
    expect(before).toHaveLength(3)
    expect(after).toEqual([before, before])
    expect(await run(url('copy.db'), 'ledger', 'verify')).toMatchObject({ status: 0 })
    await run(url('another.db'), 'init')
    await run(url('another.db'), 'docs', 'set', 'b:1', 'fetching')
    const clash = await runHere(['ledger', 'copy', folder, url('another.db')])
    expect(clash).toMatchObject({ status: 4, stdout: '' })
    expect(clash.stderr).toContain('next: Give a place with nothing in it')
  })

  it('can be made with the SQL that is printed', async () => {
    const { stdout, status } = await runHere(['ledger', 'sql', 'sqlite'])
    expect(status).toBe(0)
    const byHand = new DatabaseSync(shell.path('hand.db'))
    byHand.exec(stdout)
    byHand.close()
    await run(url('init.db'), 'init')
    expect(await run(url('hand.db'), 'docs', 'set', 'a:1', 'fetching')).toMatchObject({ status: 0 })
    const [hand, made] = ['hand.db', 'init.db'].map((name) => {
      const db = new DatabaseSync(shell.path(name), { readOnly: true })
      const schema = db.prepare('SELECT type, name, sql FROM sqlite_schema ORDER BY 1, 2').all()
      db.close()
      return schema
    })
    expect(hand).toEqual(made)
    const rest = await runHere(['ledger', 'sql', 'sqlite', '--from', '1'])
    expect(rest.stdout).toContain('-- 2: views')
    expect(rest.stdout).not.toContain('-- 1: tables')
    expect(await runHere(['ledger', 'sql', 'sqlite', '--from', '99'])).toMatchObject({ status: 2 })
    expect(await runHere(['ledger', 'sql', 'sqlite', '--schema', 'x'])).toMatchObject({ status: 2 })
  })
})
