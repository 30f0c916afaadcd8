// What is in a ledger, asked on the command line. All of it on one ledger that nobody changes.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { AuditRecord, DocumentRecord } from 'waybill'
import { LedgerState, machines } from 'waybill'
import { MANY, makeFixture, NASTY, WIDE_ID } from './cli-fixture.ts'
import { runHere } from './cli-here.ts'
import { jsonLines, lines, Shell, type Told } from './cli-run.ts'

const shell = new Shell()
const HOUR_MS = 3_600_000
const began = Date.now()
let before: ReturnType<Shell['contents']>

beforeAll(async () => {
  await makeFixture(shell.path('ledger'), began)
  before = shell.contents()
})

afterAll(() => shell[Symbol.dispose]())

function read(args: readonly string[]): Promise<Told> {
  return runHere([...args, '--ledger', shell.path('ledger')])
}

describe('docs list', () => {
  it('prints a table, and says beside it that there is more', async () => {
    const { status, stdout, stderr } = await read(['docs', 'list', '--limit', '3'])
    expect(status).toBe(0)
    const [title, ...rows] = lines(stdout)
    expect(title?.trimEnd()).toMatch(/^ID +STATE +FOR +SINCE +ADAPTER +RETRIES +ERROR$/)
    expect(rows).toHaveLength(3)
    expect(rows[0]).toContain(`${WIDE_ID}  retrying `)
    expect(rows[0]).toContain('TimeoutError: ␛[31mred␛[0m \\u{9b}2J \\u{202e}reversed␇␊second line')
    expect(rows[1]).toMatch(/^done:1 +completed +4h(?: \w+)? +20\d\d-\S+Z +grobid +- +-$/)
    expect(stderr).toMatch(/^3 documents shown, and there are more: --all, .* --after \S+\n$/)
  })

  it('goes on where it ended, until there is no more', async () => {
    const first = await read(['docs', 'list', '--limit', '700', '--json'])
    const [hint] = jsonLines<{ note: { shown: number; next_cursor: string } }>(first.stderr)
    expect(hint?.note.shown).toBe(700)
    const [second, all] = await Promise.all([
      read(['docs', 'list', '--limit', '900', '--json', '--after', hint?.note.next_cursor ?? '']),
      read(['docs', 'list', '--all', '--json']),
    ])
    expect([second.stderr, all.stderr]).toEqual(['', ''])
    expect(first.stdout + second.stdout).toBe(all.stdout)
    const ids = jsonLines<DocumentRecord>(all.stdout).map(({ doc_id }) => doc_id)
    expect(ids).toHaveLength(MANY + 3)
    expect(ids).toEqual(ids.toSorted())
  })

  it('filters by state, adapter and time, and sorts', async () => {
    const ids = async (...args: string[]) =>
      jsonLines<DocumentRecord>((await read(['docs', 'list', '--json', ...args])).stdout).map(
        ({ doc_id }) => doc_id,
      )
    expect(
      await Promise.all([
        ids('--state', 'fetching,failed', 'completed', '--desc'),
        ids('--adapter', 'arxiv', '--order', 'changed', '--desc'),
        ids('--until', '2h', '--since', String(began - 4.5 * HOUR_MS)),
        ids('--tenant', 'aurora'),
      ]),
    ).toEqual([['stuck:1', 'done:1'], [WIDE_ID, 'stuck:1'], [WIDE_ID, 'done:1'], ['hers:1']])
  })

  it('says why it is empty', async () => {
    const [none, tenant] = await Promise.all([
      read(['docs', 'list', '--state', 'indexed']),
      read(['docs', 'list', '--tenant', 'nobody']),
    ])
    expect(none).toEqual({ status: 0, stdout: '', stderr: 'None of 1,203 documents matches.\n' })
    expect(tenant.stderr).toContain('The tenant "nobody" has no documents; others have')
  })
})

describe('docs show', () => {
  it('tells everything about a document', async () => {
    const [text, json] = await Promise.all([
      read(['docs', 'show', 'done:1']),
      read(['docs', 'show', WIDE_ID, '--json']),
    ])
    expect(text.stdout).toMatch(/^done:1\n {2}state +completed {2}Done\n {2}since +\S+Z {2}for 4h/)
    for (const part of [
      'may go to  none',
      '"pages": 3',
      'adapter    grobid',
      'retries    0 of 3',
      'etag  ',
    ]) {
      expect(text.stdout).toContain(part)
    }
    expect(lines(json.stdout)).toHaveLength(1)
    expect(JSON.parse(json.stdout)).toMatchObject({
      doc_id: WIDE_ID,
      state: 'retrying',
      error_message: NASTY,
      next_states: ['fetching', 'parsing', 'validating', 'ir_building', 'embedding', 'failed'],
      seconds_in_state: expect.closeTo(4 * 3600, -3),
    })
  })

  it('tells what it was like at an earlier time', async () => {
    const [then, before] = await Promise.all([
      read(['docs', 'show', 'done:1', '--at', String(began - 4.5 * HOUR_MS), '--json']),
      read(['docs', 'show', 'done:1', '--at', '7d']),
    ])
    expect(JSON.parse(then.stdout)).toMatchObject({ state: 'parsing', seconds_in_state: 1800 })
    expect(before).toMatchObject({ status: 3, stdout: '' })
    expect(before.stderr).toContain('next: It came later')
  })

  it('does not find what is not there, and guesses what is meant', async () => {
    const { status, stdout, stderr } = await read(['docs', 'show', 'doen:1'])
    expect({ status, stdout }).toEqual({ status: 3, stdout: '' })
    expect(stderr).toBe('error: There is no document "doen:1"\nnext: Did you mean done:1?\n')
  })
})

describe('histories', () => {
  it('tell what happened, who did it and how long it took', async () => {
    const [text, json, generic] = await Promise.all([
      read(['docs', 'history', 'done:1']),
      read(['docs', 'history', 'done:1', '--json', '--desc', '--limit', '2']),
      read(['ledger', 'history', 'done:1', '--json']),
    ])
    expect(lines(text.stdout).map((line) => /\w+ → \w+ +\w+/.exec(line)?.[0].replace(/ +/g, ' '))).toEqual([
      undefined,
      'pending → fetching moved',
      'fetching → fetched moved',
      'fetched → parsing moved',
      'parsing → completed refused',
      'parsing → completed moved',
    ])
    expect(jsonLines<AuditRecord>(json.stdout).map(({ event, actor }) => [event, actor])).toEqual([
      ['moved', 'bob'],
      ['refused', 'ann'],
    ])
    expect(jsonLines<AuditRecord>(generic.stdout).map(({ id }) => id)).toEqual(Array(5).fill('done:1'))
  })

  it('A41: of an unknown document there is none, which is said, and is no failure', async () => {
    for (const command of ['docs', 'ledger']) {
      expect(await read([command, 'history', 'nobody'])).toEqual({
        status: 0,
        stdout: '',
        stderr: 'Nothing is known of a document "nobody".\n',
      })
    }
  })
})

describe('ledger stats', () => {
  it('A41: lists all states, zeros too, with what they mean', async () => {
    const [{ stdout, stderr }, json] = await Promise.all([
      read(['ledger', 'stats']),
      read(['ledger', 'stats', '--json']),
    ])
    expect(stderr).toBe('')
    for (const state of Object.values(LedgerState)) {
      const { about } = machines.document.states[state]
      expect(stdout).toMatch(new RegExp(`^  ${state} +[\\d,]+  ${about.replace(/[;,]/g, '.')}$`, 'm'))
    }
    expect(stdout).toContain('STORAGE\n  engine  ')
    const { states, records, audit_records } = JSON.parse(json.stdout)
    expect(states.document).toEqual({
      ...Object.fromEntries(Object.values(LedgerState).map((state) => [state, 0])),
      fetching: 1,
      retrying: 1,
      completed: 1,
      skipped: MANY + 1,
    })
    expect({ documents: records.document, audit_records }).toEqual({
      documents: MANY + 4,
      audit_records: MANY + 9,
    })
  })

  it('counts one tenant, and an earlier time', async () => {
    const at = new Date(began - 4.5 * HOUR_MS).toISOString()
    const [tenant, then] = await Promise.all([
      read(['ledger', 'stats', '--tenant', 'aurora', '--json']),
      read(['ledger', 'stats', '--at', at, '--json']),
    ])
    expect(JSON.parse(tenant.stdout).states.document).toMatchObject({ skipped: 1, fetching: 0 })
    expect(JSON.parse(then.stdout)).toMatchObject({
      at,
      states: { document: { fetching: 1, parsing: 1, skipped: 0 } },
    })
  })
})

describe('ledger stuck', () => {
  it('A35, A41: prints the id, the state and for how many hours, and what counted as too long', async () => {
    const [given, own, boundary, finished] = await Promise.all([
      read(['ledger', 'stuck', '--hours', '5', '--exit-code']),
      read(['ledger', 'stuck', '--json']),
      read(['ledger', 'stuck', '--hours', '5.1', '--exit-code']),
      read(['ledger', 'stuck', '--hours', '0', '--state', 'skipped']),
    ])
    // Some seconds later than when the ledger was made.
    expect(given).toMatchObject({
      status: 1,
      stdout: expect.stringMatching(/^stuck:1: fetching \(5\.0\dh\)\n$/),
    })
    expect(given.stderr).toBe(
      'Stuck is what has been in its state for 5 hours or longer.\n1 document stuck.\n',
    )
    expect(jsonLines(own.stdout)).toMatchObject([{ doc_id: 'stuck:1', threshold: { from: 'p99' } }])
    expect(own.stderr).toContain('longer than 99 of 100 documents did: fetching 1.00h')
    expect(boundary).toMatchObject({ status: 0, stdout: '' })
    expect(finished).toMatchObject({ status: 0, stdout: '' })
  })
})

describe('ledger audit', () => {
  it('searches the history', async () => {
    const found = async (...args: string[]) =>
      jsonLines<AuditRecord>((await read(['ledger', 'audit', '--json', ...args])).stdout).map(
        ({ id, new_state }) => `${id} ${new_state}`,
      )
    expect(
      await Promise.all([
        found('--event', 'refused', '--actor', 'ann', '--kind', 'document'),
        found('--error-type', 'TimeoutError'),
        found('--state', 'fetching', '--adapter', 'arxiv', '--desc'),
        found('--id', 'hers:1', '--tenant', 'aurora', '--since', '2h', '--until', '1m'),
      ]),
    ).toEqual([
      ['done:1 completed'],
      [`${WIDE_ID} retrying`],
      [`${WIDE_ID} fetching`, 'stuck:1 fetching'],
      ['hers:1 skipped'],
    ])
  })

  it('counts, and measures', async () => {
    const [errors, transitions, durations, text] = await Promise.all([
      read(['ledger', 'audit', '--count-by', 'error_type']),
      read(['ledger', 'audit', '--count-by', 'transition', '--json']),
      read(['ledger', 'audit', '--durations', '--state', 'parsing', '--json']),
      read(['ledger', 'audit', '--durations']),
    ])
    expect(lines(errors.stdout)).toEqual(['ERROR TYPE    COUNT', 'TimeoutError      1'])
    expect(jsonLines(transitions.stdout)[0]).toEqual({
      kind: 'document',
      old_state: 'pending',
      new_state: 'skipped',
      count: MANY + 1,
    })
    expect(jsonLines(durations.stdout)).toMatchObject([
      { state: 'parsing', adapter: 'grobid', count: 1, max_seconds: 3600 },
    ])
    expect(lines(text.stdout)[0]).toMatch(/^KIND +STATE +ADAPTER +COUNT +P50 +P95 +P99 +MAX +MEAN$/)
  })
})

describe('ledger verify', () => {
  it('says that nothing is wrong', async () => {
    const { status, stdout, stderr } = await read(['ledger', 'verify'])
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(stdout).toBe('Nothing is wrong: 1,204 records and 1,209 entries of history agree.\n')
  })
})

it('nothing of all this has changed anything', () => {
  expect(shell.contents()).toEqual(before)
})
