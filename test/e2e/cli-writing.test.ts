// Commands that change a ledger.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { AuditRecord } from 'waybill'
import { openLedger } from 'waybill'
import { jsonLines, Shell } from './cli-run.ts'

const shell = new Shell()

afterAll(() => shell[Symbol.dispose]())

describe('init', () => {
  it('makes a ledger once, and says so when there is one', async () => {
    const first = await shell.run(['init', 'made'])
    expect(first).toEqual({ status: 0, stdout: 'Made an empty ledger in made\n', stderr: '' })
    const made = shell.contents()
    const [second, json] = await Promise.all([
      shell.run(['init', '--ledger', 'made']),
      shell.run(['init', '--json'], { WAYBILL_LEDGER: 'made' }),
    ])
    expect(second).toEqual({ status: 0, stdout: 'There is a ledger already in made\n', stderr: '' })
    expect(JSON.parse(json.stdout)).toEqual({ ledger: 'made', created: false })
    expect(shell.contents()).toEqual(made)
  })

  it('leaves folders alone that hold something else', async () => {
    mkdirSync(shell.path('project'))
    writeFileSync(shell.path('project/thesis.tex'), 'precious')
    writeFileSync(shell.path('file'), 'precious')
    const before = shell.contents()
    const [folder, file] = await Promise.all([shell.run(['init', 'project']), shell.run(['init', 'file'])])
    expect(folder).toMatchObject({ status: 2, stdout: '' })
    expect(folder.stderr).toContain('next: Something else is in there (thesis.tex)')
    expect(file).toMatchObject({ status: 2, stdout: '' })
    expect(shell.contents()).toEqual(before)
  })
})

describe('docs set', () => {
  const set = (...args: string[]) => shell.run(['docs', 'set', ...args, '--ledger', 'set'])

  beforeAll(async () => {
    await shell.run(['init', 'set'])
  })

  it('moves a document, and keeps who, why and what of it', async () => {
    expect(await set('a:1', 'fetching', '--adapter', 'pubmed', '--metadata', '{"pages":12}')).toEqual({
      status: 0,
      stdout: 'a:1: pending → fetching\n',
      stderr: '',
    })
    const failed = await set(
      ...['a:1', 'failed', '--json', '--actor', 'ann', '--reason', 'gave up', '--retry-count', '3'],
      ...['--max-retries', '3', '--error-type', 'Timeout', '--error-message', 'no answer'],
    )
    const record = JSON.parse(failed.stdout)
    expect(record).toMatchObject({
      doc_id: 'a:1',
      state: 'failed',
      metadata: { pages: 12 },
      retry_count: 3,
      error_type: 'Timeout',
      error_message: 'no answer',
    })
    const { stdout } = await shell.run(['docs', 'history', 'a:1', '--json', '--ledger', 'set'])
    expect(jsonLines<AuditRecord>(stdout)).toMatchObject([
      { actor: userInfo().username, adapter: 'pubmed', reason: null },
      { actor: 'ann', adapter: 'pubmed', reason: 'gave up', error_type: 'Timeout', traceback: null },
    ])
  })

  it('refuses a state that cannot follow, and names those that can', async () => {
    const [text, stale] = [
      await set('a:1', 'ir_ready', '--tenant', 'aurora'),
      await set('a:1', 'retrying', '--if-match', 'no-such-etag', '--json'),
    ]
    expect(text).toMatchObject({ status: 4, stdout: '' })
    expect(text.stderr).toContain('error: Document a:1 cannot go from pending to ir_ready\n')
    expect(text.stderr).toContain('next: From pending it may go to: fetching, skipped.\n')
    expect(stale).toMatchObject({ status: 4, stdout: '' })
    expect(JSON.parse(stale.stderr)).toMatchObject({
      error: { code: 'STALE_ETAG', next: expect.any(String) },
    })
  })

  it('takes any way with --no-validate, and old names with a friendly word', async () => {
    expect(await set('b:1', 'indexed', '--no-validate')).toMatchObject({ status: 0, stderr: '' })
    const { status, stdout, stderr } = await set('c:1', 'auto_inflight')
    expect({ status, stdout }).toEqual({ status: 0, stdout: 'c:1: pending → fetching\n' })
    expect(stderr).toBe('warning: The state "auto_inflight" is taken for fetching; write that instead.\n')
  })
})

describe('ledger compact', () => {
  const compact = (...args: string[]) => shell.run(['ledger', 'compact', ...args, '--ledger', 'compact'])

  it('A37: a copy elsewhere loses nothing, and never replaces a file', async () => {
    await shell.run(['init', 'compact'])
    await shell.run(['docs', 'set', 'a:1', 'fetching', '--ledger', 'compact'])
    const { status, stdout, stderr } = await compact('--output', 'copy.json.gz')
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(stdout).toMatch(/^Made compact\/snapshot-.* \(.*up to seq \d+\)\nCopied it to copy\.json\.gz\n$/)
    const [name = ''] = readdirSync(shell.path('compact')).filter((file) => file.startsWith('snapshot-'))
    const copy = readFileSync(shell.path('copy.json.gz'))
    expect(copy).toEqual(readFileSync(shell.path(`compact/${name}`)))
    expect(gunzipSync(copy).toString()).toContain('"document_count"')
    expect(existsSync(shell.path('copy.json.gz.unfinished'))).toBe(false)

    const before = shell.contents()
    const nowhere = await compact('--output', 'nowhere/copy.json.gz')
    expect(nowhere).toMatchObject({ status: 1, stdout: '' })
    expect(nowhere.stderr).toContain('next: Look for a misspelt name')
    const again = await compact('--output', 'copy.json.gz')
    expect(again).toMatchObject({ status: 4, stdout: '' })
    expect(again.stderr).toContain('error: copy.json.gz is there already\n')
    expect(shell.contents()).toEqual(before)

    const third = JSON.parse((await compact('--json', '--output', 'other.json.gz')).stdout)
    expect(third).toMatchObject({ output: 'other.json.gz', snapshot: { document_count: 1 } })
    expect(readFileSync(shell.path('other.json.gz'))).toEqual(readFileSync(shell.path(third.snapshot.path)))
    await using ledger = await openLedger(shell.path('compact'))
    expect(await ledger.documents.getState('a:1')).toBe('fetching')
    expect(await Array.fromAsync(ledger.documents.history('a:1'))).toHaveLength(1)
  })
})

describe('ledger copy', () => {
  it('takes a ledger elsewhere, again without change, and mixes nothing up', async () => {
    {
      await using ledger = await openLedger(shell.path('source'))
      await ledger.documents.updateMany([
        { doc_id: 'a', state: 'fetching', adapter: 'web' },
        { doc_id: 'a', state: 'fetched' },
        { doc_id: 'b', state: 'skipped' },
      ])
    }
    const first = await shell.run(['ledger', 'copy', 'source', 'target'])
    expect(first).toEqual({
      status: 0,
      stdout: 'target has 2 records and 3 entries of history, 3 of them from now.\n',
      stderr: '',
    })
    const history = (ledger: string) => shell.run(['ledger', 'audit', '--json', '--ledger', ledger])
    const [source, target, again, verified] = [
      await history('source'),
      await history('target'),
      await shell.run(['ledger', 'copy', 'source', 'target', '--json']),
      await shell.run(['ledger', 'verify', '--ledger', 'target']),
    ]
    expect(jsonLines<AuditRecord>(target.stdout)).toEqual(jsonLines<AuditRecord>(source.stdout))
    expect(JSON.parse(again.stdout)).toMatchObject({ copied_audit_records: 0, audit_records: 3 })
    expect(verified.status).toBe(0)
    await shell.run(['docs', 'set', 'c', 'fetching', '--ledger', 'target'])
    const [mixed, missing, itself] = await Promise.all([
      shell.run(['ledger', 'copy', 'source', 'target']),
      shell.run(['ledger', 'copy', 'nowhere', 'elsewhere']),
      shell.run(['ledger', 'copy', 'target', './target']),
    ])
    expect(mixed).toMatchObject({ status: 4, stderr: expect.stringContaining('another ledger') })
    expect(missing).toMatchObject({ status: 3, stderr: expect.stringContaining('There is no nowhere') })
    expect(itself).toMatchObject({ status: 2, stderr: expect.stringContaining('onto itself') })
    expect(existsSync(shell.path('elsewhere'))).toBe(false)
  })
})
