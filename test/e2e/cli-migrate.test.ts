// Old logs, from the log to the ledger and back.
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { afterAll, describe, expect, it } from 'vitest'
import type { MigrationReport } from 'waybill'
import { jsonLines, lines, Shell } from './cli-run.ts'
import { hasScript } from './environment.ts'

const shell = new Shell()

afterAll(() => shell[Symbol.dispose]())

function line(doc_id: string, state: string, timestamp: string | number | undefined): string {
  return `${JSON.stringify({ doc_id, state, timestamp, metadata: { source: 'pubmed' } })}\n`
}

const OLD =
  line('a', 'auto_inflight', '2025-10-03T12:00:00.5+00:00') +
  line('a', 'auto_done', '2025-10-03T12:00:01') +
  line('b', 'pdf_downloaded', 1_759_492_802) +
  line('b', 'mineru_inflight', 1_759_492_803_000) +
  line('c', 'strange', undefined) +
  '{"state":"fetching"}\njunk\n'

function folderWith(name: string): (...args: string[]) => ReturnType<Shell['run']> {
  mkdirSync(shell.path(name))
  writeFileSync(shell.path(`${name}/ledger.jsonl`), OLD)
  return (...args) => shell.run(args, { WAYBILL_LEDGER: name })
}

describe('ledger migrate', () => {
  it('A40: takes over the log in the folder of the ledger, once', async () => {
    const waybill = folderWith('ledger')
    const before = shell.contents()
    const dry = await waybill('ledger', 'migrate', '--dry-run')
    expect(dry).toMatchObject({ status: 0 })
    expect(dry.stdout).toContain('Would take over ledger/ledger.jsonl into ledger')
    expect(dry.stderr).toContain('Nothing was written')
    expect(shell.contents()).toEqual(before)
    const first = await waybill('ledger', 'migrate')
    expect(first).toMatchObject({ status: 0 })
    expect(first.stdout).toMatch(/^Took over ledger\/ledger\.jsonl into ledger\n/)
    expect(first.stdout).toMatch(/rejected +2 +ledger\/ledger\.jsonl\.rejects\n/)
    expect(first.stdout).toContain('ledger.jsonl:2: a went from fetching to completed')
    expect(first.stdout).toContain('and 1 other: --report lists all')
    expect(first.stderr).toContain('is in ledger/ledger.jsonl.backup; it may go after 30 days.')
    const [a, b, c, again] = [
      await waybill('docs', 'show', 'a', '--json'),
      await waybill('docs', 'show', 'b', '--json'),
      await waybill('docs', 'show', 'c', '--json'),
      await waybill('ledger', 'migrate', '--json'),
    ]
    const states = [a, b, c].map(({ stdout }) => JSON.parse(stdout).state)
    expect(states).toEqual(['completed', 'ir_building', 'legacy'])
    expect(JSON.parse(again.stdout)).toMatchObject({
      migrated: 0,
      already_imported: 5,
      rejected: 2,
      agrees: true,
    })
    expect(jsonLines(readFileSync(shell.path('ledger/ledger.jsonl.rejects'), 'utf8'))).toEqual([
      { line: 6, problem: 'it has no doc_id', text: '{"state":"fetching"}' },
      { line: 7, problem: 'it is not JSON', text: 'junk' },
    ])
    expect(readFileSync(shell.path('ledger/ledger.jsonl'), 'utf8')).toBe(OLD)
    expect(await waybill('ledger', 'verify')).toMatchObject({ status: 0 })
    const history = await waybill('ledger', 'history', 'a', '--json')
    expect(jsonLines(history.stdout)).toMatchObject([
      { actor: 'migration', reason: 'ledger.jsonl line 1', timestamp: 1_759_492_800.5 },
      { actor: 'migration', reason: 'ledger.jsonl line 2', metadata: { validated: false } },
    ])
  })

  it('A40: lists every finding in a report', async () => {
    const waybill = folderWith('reported')
    await waybill('ledger', 'migrate', '--dry-run', '--report', 'report.txt')
    expect(lines(readFileSync(shell.path('report.txt'), 'utf8'))).toContain(
      'ledger.jsonl:5: unknown_state: the state "strange" is not known',
    )
    await waybill('ledger', 'migrate', '--dry-run', '--report', 'report.json')
    const { findings, summary } = JSON.parse(readFileSync(shell.path('report.json'), 'utf8'))
    expect(findings).toHaveLength(8)
    expect(summary as MigrationReport).toMatchObject({ lines: 7, migrated: 5, rejected: 2, dry_run: true })
  })

  it('A40: writes the log anew, which can be validated, replaced and rolled back', async () => {
    const waybill = folderWith('anew')
    const log = 'anew/ledger.jsonl'
    expect(await waybill('ledger', 'validate', log)).toMatchObject({ status: 1 })
    expect(await waybill('ledger', 'migrate', log, '--output', log)).toMatchObject({ status: 0 })
    const migrated = readFileSync(shell.path(log), 'utf8')
    expect(lines(migrated)).toHaveLength(5)
    const [good, strict] = [
      await waybill('ledger', 'validate', log),
      await waybill('ledger', 'validate', log, '--strict', '--json'),
    ]
    expect(good.status).toBe(0)
    expect(lines(good.stdout)[0]).toBe(`${log}:2: warning: a went from fetching to completed`)
    expect(strict.status).toBe(1)
    expect(jsonLines(strict.stdout)[0]).toEqual({
      file: log,
      line: 2,
      level: 'warning',
      what: 'a went from fetching to completed',
    })
    const before = shell.contents()
    expect(await waybill('ledger', 'migrate', log, '--output', log)).toMatchObject({ status: 0 })
    expect(shell.contents()).toEqual(before)
    expect(await waybill('ledger', 'rollback', log)).toEqual({
      status: 0,
      stdout: `Put ${log} back as it is in ${log}.backup\nWhat was there instead is in ${log}.migrated\n`,
      stderr: '',
    })
    expect(readFileSync(shell.path(log), 'utf8')).toBe(OLD)
    expect((await waybill('ledger', 'rollback', log)).stdout).toContain('nothing to put back')
  })

  it('A41: says of every line what is wrong with it, and ends with 1', async () => {
    writeFileSync(shell.path('bad.jsonl'), `${OLD}{"doc_id":"to`)
    const { status, stdout } = await shell.run(['ledger', 'validate', 'bad.jsonl'])
    expect(status).toBe(1)
    expect(lines(stdout)).toHaveLength(8)
    for (const text of lines(stdout)) expect(text).toMatch(/^bad\.jsonl:\d: /)
    expect(lines(stdout).at(-1)).toBe('bad.jsonl:8: it is cut off')
  })

  it('says what cannot be done, and makes nothing', async () => {
    const before = shell.contents()
    const [missing, nothing, noBackup] = await Promise.all([
      shell.run(['ledger', 'migrate', '--ledger', 'nowhere']),
      shell.run(['ledger', 'validate', 'nowhere.jsonl']),
      shell.run(['ledger', 'rollback', 'nowhere.jsonl']),
    ])
    expect([missing.status, nothing.status, noBackup.status]).toEqual([3, 3, 3])
    expect(missing.stderr).toContain('There is no nowhere/ledger.jsonl')
    expect(shell.contents()).toEqual(before)
  })

  it('refuses a log that was changed after it was taken over, and goes on with one that has grown', async () => {
    const waybill = folderWith('grown')
    await waybill('ledger', 'migrate')
    appendFileSync(shell.path('grown/ledger.jsonl'), line('d', 'fetching', 1_759_492_900))
    const grown = await waybill('ledger', 'migrate', '--json')
    expect(JSON.parse(grown.stdout)).toMatchObject({
      migrated: 1,
      already_imported: 5,
      by_state: { fetching: 1 },
    })
    writeFileSync(shell.path('grown/ledger.jsonl'), OLD.replace('strange', 'stranger'))
    const changed = await waybill('ledger', 'migrate', '--json')
    expect(changed.status).toBe(4)
    expect(jsonLines(changed.stderr)).toMatchObject([{ error: { code: 'LOG_CHANGED' } }])
  })

  // Without `script` there is no terminal to run on.
  it.skipIf(!hasScript())('shows how far it is on a terminal', () => {
    // So many that it takes a while on any machine: what is over at once has no bar.
    writeFileSync(shell.path('long.jsonl'), OLD + line('x', 'fetching', 1_759_492_900).repeat(300_000))
    const { stdout } = shell.onTerminal(100, 'waybill ledger migrate long.jsonl --output new-long.jsonl')
    expect(stdout).toMatch(/bytes .*\d+% │ [\d,]+\/[\d,]+ │ .*\/s │/)
    expect(stdout).toContain('300,007')
  })
})
