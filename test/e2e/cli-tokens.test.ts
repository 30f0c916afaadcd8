// Access tokens on the command line: they are shown once, and nothing else ever has them.
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { openLedger } from '../../src/index.ts'
import { quickFolder } from '../fixtures/quick-folder.ts'
import { runHere } from './cli-here.ts'

const place = quickFolder('waybill-tokens-')
afterAll(() => rmSync(place, { recursive: true, force: true }))

const folder = join(place, 'ledger')
const tokens = (...args: readonly string[]) => runHere(['tokens', ...args, '--ledger', folder])

async function created(...args: readonly string[]) {
  const told = await tokens('create', ...args, '--json')
  expect(told.status).toBe(0)
  return JSON.parse(told.stdout) as { token: string; token_id: string; tenants: string[]; expires_at: string }
}

it('a token is printed once, lets its bearer in, and is in no file', async () => {
  await runHere(['init', folder])
  const told = await tokens(
    'create',
    'ann',
    '--role',
    'operator',
    '--tenant',
    'acme',
    '--expires',
    '90d',
    '--actor',
    'ada',
  )
  expect(told.status).toBe(0)
  expect(told.stdout).toMatch(/^wb_[0-9a-f]{12}_[\w-]{43}\n$/)
  const token = told.stdout.trim()
  const [id, secret] = [token.slice(3, 15), token.slice(16)]
  expect(told.stderr).toContain('Shown only now')
  expect(told.stderr).toMatch(/It lets ann in as operator, for acme, until \d{4}-\S+Z\./)
  expect(told.stderr).toContain(`waybill tokens revoke ${id} --ledger ${folder}`)
  expect(told.stderr).not.toContain(secret)
  {
    await using ledger = await openLedger(folder)
    expect(await ledger.tokens.verify(token)).toMatchObject({ name: 'ann', tenants: ['acme'] })
    await ledger.compact()
  }
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name))
  for (const file of files) {
    if (statSync(file).isFile()) expect(readFileSync(file, 'latin1')).not.toContain(secret)
  }
  const history = await runHere(['ledger', 'audit', '--kind', 'token', '--json', '--ledger', folder])
  expect(JSON.parse(history.stdout)).toMatchObject({ id, actor: 'ada', metadata: { role: 'operator' } })
  expect(history.stdout).not.toContain(secret)
})

it('is for one tenant, several, or all of them', async () => {
  expect((await created('a', '--role', 'viewer')).tenants).toEqual(['default'])
  expect((await created('b', '--role', 'viewer', '--for', 'x,y', '--for', 'z')).tenants).toEqual([
    'x',
    'y',
    'z',
  ])
  expect(await created('c', '--role', 'viewer', '--all-tenants')).toMatchObject({
    tenants: ['*'],
    expires_at: null,
  })
  expect(await tokens('create', 'd', '--role', 'viewer', '--for', 'x', '--all-tenants')).toMatchObject({
    status: 2,
  })
})

it.each([
  [['e'], '--role'],
  [['e', '--role', 'root'], 'viewer, worker, operator, admin'],
  [['', '--role', 'viewer'], 'name'],
  [['e', '--role', 'viewer', '--for', 'x,'], 'tenants.1'],
  [['e', '--role', 'viewer', '--expires', 'soon'], '--expires'],
  [['e', '--role', 'viewer', '--expires', '2001-01-01'], 'is over already'],
])('is not made by %j', async (args, said) => {
  expect(await tokens('create', ...args)).toMatchObject({ status: 2, stderr: expect.stringContaining(said) })
})

it('is listed, shown and revoked by its id, and never by anything secret', async () => {
  const { token, token_id } = await created('bob', '--role', 'worker', '--expires', '1h')
  const list = await tokens('list')
  expect(list.stdout).toMatch(new RegExp(`^${token_id} +bob +worker +active +default +\\d{4}-`, 'm'))
  const json = await tokens('list', '--json')
  const show = await tokens('show', token_id)
  expect(show.stdout).toMatch(/^ {2}role +worker$/m)
  const shown = await tokens('show', token_id, '--json')
  expect(JSON.parse(shown.stdout)).toMatchObject({ token_id, name: 'bob', state: 'active' })
  const revoked = await tokens('revoke', token_id, '--reason', 'lost')
  expect(revoked).toMatchObject({ status: 0, stdout: `${token_id} (bob): revoked\n` })
  // Somebody who found the whole token need not take it apart.
  expect((await tokens('revoke', token, '--json')).status).toBe(0)
  expect((await tokens('list')).stdout).not.toContain(token_id)
  const all = await tokens('list', '--all')
  expect(all.stdout).toMatch(new RegExp(`^${token_id} +bob +worker +revoked`, 'm'))
  for (const { stdout, stderr } of [list, json, show, shown, revoked, all]) {
    expect(stdout + stderr).not.toMatch(/hash/)
    expect(stdout + stderr).not.toContain(token.slice(16))
  }
})

it('says that there is none, without saying what was asked for: it may be a secret', async () => {
  const wrong = `wb_000000000000_${'s'.repeat(40)}`
  for (const command of ['show', 'revoke']) {
    const told = await tokens(command, wrong)
    expect(told).toMatchObject({ status: 3, stdout: '' })
    expect(told.stderr).not.toContain('ssss')
  }
  const empty = join(place, 'empty')
  await runHere(['init', empty])
  const none = await runHere(['tokens', 'list', '--ledger', empty])
  expect(none).toMatchObject({
    status: 0,
    stdout: '',
    stderr: expect.stringContaining('There are no tokens.'),
  })
})
