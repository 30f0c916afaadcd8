// The command line on ledgers in PostgreSQL: what people see, also of what goes wrong, and never a password.
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { migrationTableSql, postgresMigrations } from '../../src/store/postgres/migrations/migrations.ts'
import { runHere } from '../e2e/cli-here.ts'
import { writeProject } from '../e2e/cli-jobs-fixture.ts'
import { jsonLines, Shell, type Told } from '../e2e/cli-run.ts'
import { freshSchema, say, type TestServer, testServer } from './server.ts'

describe('the command line on PostgreSQL', () => {
  const shell = new Shell()
  const said: Told[] = []
  let server: TestServer

  beforeAll(async () => {
    server = await testServer()
    writeProject(shell)
  })

  afterAll(async () => {
    await server.stop()
    shell[Symbol.dispose]()
  })

  const urlOf = (schema: string, change: (url: URL) => void = () => {}) => {
    const url = new URL(server.url)
    url.searchParams.set('schema', schema)
    change(url)
    return url.href
  }

  const run = async (ledger: string, ...args: readonly string[]) => {
    const told = await runHere([...args, '--ledger', ledger])
    said.push(told)
    return told
  }

  const shown = (url: string) => Object.assign(new URL(url), { password: '' }).href

  const failure = async (ledger: string, ...args: readonly string[]) => {
    const { status, stdout, stderr } = await run(ledger, ...args, '--json')
    expect(stdout).toBe('')
    const { error } = JSON.parse(stderr)
    expect(error.next).toEqual(expect.any(String))
    return {
      status,
      code: error.code as string,
      message: error.message as string,
      next: error.next as string,
    }
  }

  const newUser = async (rights: (user: string) => string) => {
    const user = `u_${freshSchema()}`
    await say(server.url, `CREATE USER ${user} PASSWORD 'u-secret'; ${rights(user)}`)
    return (url: URL) => void Object.assign(url, { username: user, password: 'u-secret' })
  }

  it('makes the tables with init alone, and every command works on them', async () => {
    const url = urlOf(freshSchema())
    const missing = await failure(url, 'docs', 'list')
    expect(missing).toMatchObject({ status: 2, code: 'NOT_A_LEDGER' })
    expect(missing.next).toBe(`Make one: waybill init --ledger '${shown(url)}'`)
    expect(await failure(url, 'docs', 'set', 'a:1', 'fetching')).toMatchObject({ code: 'NOT_A_LEDGER' })
    expect(await run(url, 'init')).toEqual({
      status: 0,
      stdout: `Made an empty ledger in ${shown(url)}\n`,
      stderr: '',
    })
    const again = await run(url, 'init', '--json')
    expect(JSON.parse(again.stdout)).toEqual({ ledger: shown(url), created: false })
    expect(await run(url, 'docs', 'set', 'a:1', 'fetching')).toMatchObject({ status: 0, stderr: '' })
    const stats = await run(url, 'ledger', 'stats')
    expect(stats.stdout).toMatch(/^ {2}engine +postgres\n {2}records +1 document\n {2}history +1 entry\n$/m)
    expect((await run(url, 'ledger', 'verify')).stdout).toContain('Nothing is wrong: 1 record and 1 entry')
    expect((await run(url, 'ledger', 'compact', '--keep-history', '1h')).stdout).not.toContain('Removed')
    const compacted = await run(url, 'ledger', 'compact', '--keep-history', '0s')
    expect(compacted.stdout).toMatch(/^Cleared up\..*\nRemoved 1 record of history/)
    expect(await failure(url, 'ledger', 'compact', '--keep-history', 'long')).toMatchObject({ status: 2 })
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
    const env = { WAYBILL_LEDGER: urlOf(freshSchema()) }
    await shell.run(['init'], env)
    const child = shell.start(['worker', '--name', 'w1', '--json'], env)
    const output = createInterface(child.stdout)[Symbol.asyncIterator]()
    try {
      const submitted = await shell.run(['submit', 'FETCH', '--input', 'a', '--output', 'b'], env)
      expect(submitted).toMatchObject({ status: 0, stderr: '' })
      const { value } = await output.next()
      const job_id = submitted.stdout.trim()
      expect(JSON.parse(value as string)).toMatchObject({ job_id, new_state: 'SUCCEEDED', actor: 'w1' })
    } finally {
      child.kill('SIGTERM')
      await once(child, 'close')
    }
    // Where the variable has the URL, what to try next needs none.
    const next = await shell.run(['jobs', 'show', 'none'], env)
    said.push(next)
    expect(next.stderr).toMatch(/waybill jobs list$/m)
  })

  it('copies a ledger from a folder to SQLite to PostgreSQL and back', async () => {
    const places = [
      shell.path('folder'),
      `sqlite:${shell.path('copy.db')}`,
      urlOf(freshSchema()),
      shell.path('back'),
    ]
    const [folder = ''] = places
    await run(folder, 'init')
    for (const state of ['fetching', 'fetched']) await run(folder, 'docs', 'set', 'a:1', state)
    await run(
      folder,
      'submit',
      'FETCH',
      '--input',
      'a',
      '--output',
      'b',
      '--protocols',
      shell.path('waybill.protocols.json'),
    )
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
    expect(histories.slice(1)).toEqual([histories[0], histories[0], histories[0]])
    const other = urlOf(freshSchema())
    await run(other, 'init')
    await run(other, 'docs', 'set', 'b:1', 'fetching')
    const clash = await runHere(['ledger', 'copy', folder, other, '--json'])
    said.push(clash)
    expect(JSON.parse(clash.stderr).error).toMatchObject({ code: 'NOT_EMPTY' })
  })

  it('prints SQL with which the tables can be made by hand', async () => {
    const schema = freshSchema()
    const { stdout } = await runHere(['ledger', 'sql', 'postgres', '--schema', schema])
    await say(server.url, stdout)
    expect(await run(urlOf(schema), 'docs', 'set', 'a:1', 'fetching')).toMatchObject({ status: 0 })
    expect(await runHere(['ledger', 'sql', 'postgres', '--schema', 'a"b'])).toMatchObject({ status: 2 })
  })

  it('brings tables up to date with init alone, and leaves later ones alone', async () => {
    const schema = freshSchema()
    const url = urlOf(schema)
    const last = postgresMigrations(schema).length
    // As the version before made them.
    await say(server.url, `CREATE SCHEMA "${schema}"; ${migrationTableSql(`"${schema}"`)}`)
    for (const { version, name, sql } of postgresMigrations(schema).slice(0, -1)) {
      await say(server.url, sql)
      await say(server.url, `INSERT INTO "${schema}".migration VALUES ($1, $2, now())`, [version, name])
    }
    const old = await failure(url, 'ledger', 'stats')
    expect(old).toMatchObject({ status: 1, code: 'SCHEMA_TOO_OLD' })
    expect(old.next).toContain(`waybill init --ledger '${shown(url)}'`)
    expect(old.next).toContain(`waybill ledger sql postgres --from ${last - 1}`)
    expect((await run(url, 'init')).stdout).toBe(`Brought up to date the tables in ${shown(url)}\n`)
    expect(await run(url, 'ledger', 'stats')).toMatchObject({ status: 0 })
    const [views] = await say(
      server.url,
      `SELECT string_agg(format('%I.%I', schemaname, viewname), ', ') AS names FROM pg_views WHERE schemaname = $1`,
      [schema],
    )
    expect(views?.names).toContain('step_attempts')
    await say(server.url, `INSERT INTO "${schema}".migration VALUES ($1, 'later', now())`, [last + 1])
    expect(await failure(url, 'ledger', 'stats')).toMatchObject({ status: 5, code: 'SCHEMA_TOO_NEW' })
    expect(await failure(url, 'init')).toMatchObject({ status: 5, code: 'SCHEMA_TOO_NEW' })
  })

  it('says what is wrong with the server, the user and the URL', async () => {
    const schema = freshSchema()
    const wrong = (change: (url: URL) => void) => failure(urlOf(schema, change), 'ledger', 'stats')
    await run(urlOf(schema), 'init')
    expect(await wrong((url) => void Object.assign(url, { password: 'hunter2' }))).toMatchObject({
      status: 1,
      code: 'LOGIN_REFUSED',
      message: expect.stringContaining('password authentication failed'),
    })
    expect(await wrong((url) => void Object.assign(url, { pathname: '/nowhere' }))).toMatchObject({
      status: 3,
      code: 'DATABASE_MISSING',
    })
    expect(await wrong((url) => void Object.assign(url, { port: '1' }))).toMatchObject({
      status: 1,
      code: 'SERVER_UNAVAILABLE',
    })
    expect(await wrong((url) => url.searchParams.set('schema', 'A-b'))).toMatchObject({
      status: 2,
      code: 'INVALID_INPUT',
      message: '"A-b" is no name for a schema',
    })
    const reader = await newUser(
      (user) =>
        `GRANT USAGE ON SCHEMA "${schema}" TO ${user}; GRANT SELECT ON ALL TABLES IN SCHEMA "${schema}" TO ${user}`,
    )
    expect(await wrong(reader)).toMatchObject({ status: 1, code: 'NOT_PERMITTED' })
    const nobody = await newUser(() => '')
    expect(await wrong(nobody)).toMatchObject({ status: 1, code: 'NOT_PERMITTED' })
    const making = await failure(urlOf(freshSchema(), nobody), 'init')
    expect(making).toMatchObject({ status: 1, code: 'NOT_PERMITTED' })
    for (const url of [
      'postgres://u:hunter2/x@h/db',
      'postgres://u:1/hunter2@h/db',
      'mysql://u:hunter2@h/db',
    ]) {
      expect(await failure(url, 'ledger', 'stats')).toMatchObject({ status: 2 })
    }
    const many = await runHere(['init', urlOf(schema), 'more', '--json'])
    said.push(many)
    expect(many.status).toBe(2)
  })

  it('never printed a password', () => {
    const everything = JSON.stringify(said)
    const { password } = new URL(server.url)
    expect(password).not.toBe('')
    expect(everything).toContain('postgres://postgres@')
    for (const secret of [password, decodeURIComponent(password), 'hunter2', 'u-secret']) {
      expect(everything).not.toContain(secret)
    }
  })
})
