import { describe, expect, it } from 'vitest'
import { logOf, readLines, readLog, writeLog } from '../../../test/legacy/log-files.ts'
import { migrateLegacy } from '../../legacy-logs.ts'
import { openLedger } from '../../open-ledger.ts'
import { virtualWorld } from '../../testing/virtual-world.ts'

const LOG = 'old/ledger.jsonl'
const AT = Date.UTC(2025, 9, 3, 12) / 1000

async function worldWith(content: string | Uint8Array) {
  const world = virtualWorld({ startMs: Date.UTC(2026, 0, 1) })
  await world.disk.makeFolder('old')
  await writeLog(world.disk, LOG, content)
  return world
}

function line(doc_id: string, state: string, more: object = {}): object {
  return { doc_id, state, timestamp: '2025-10-03T12:00:00.5+00:00', metadata: { source: 'pubmed' }, ...more }
}

const EVERYTHING = logOf(
  line('a', 'auto_inflight'),
  line('a', 'auto_done'),
  line('b', 'pdf_downloaded', { timestamp: AT }),
  line('b', 'mineru_inflight', { timestamp: '2025-10-03T12:00:01' }),
  line('c', 'strange', { timestamp: undefined }),
  { state: 'fetching' },
  'junk',
  '',
  line('d', 'pending', { timestamp: 'soon', error: 'password=hunter2', worker: 5 }),
)

const FINDINGS = {
  rejected: {
    count: 2,
    examples: ['ledger.jsonl:6: it has no doc_id', 'ledger.jsonl:7: it is not JSON'],
  },
  unknown_state: { count: 1, examples: ['ledger.jsonl:5: the state "strange" is not known'] },
  undeclared_edge: {
    count: 4,
    examples: [
      'ledger.jsonl:2: a went from fetching to completed',
      'ledger.jsonl:3: b went from pending to fetched',
      'ledger.jsonl:4: b went from fetched to ir_building',
      'ledger.jsonl:5: c went from pending to legacy',
    ],
  },
  bad_timestamp: {
    count: 2,
    examples: ['ledger.jsonl:5: it has no timestamp', 'ledger.jsonl:9: "soon" is not a time'],
  },
}

const TOTALS = {
  lines: 9,
  blank: 1,
  migrated: 6,
  already_migrated: 0,
  already_imported: 0,
  rejected: 2,
  documents: 4,
  by_state: { completed: 1, ir_building: 1, legacy: 1, pending: 1 },
  findings: FINDINGS,
  agrees: true,
}

describe('A40: a log that a ledger takes over', () => {
  it('is in its history, its states and its report; what tells of nothing is kept apart', async () => {
    const world = await worldWith(EVERYTHING)
    const report = await migrateLegacy(LOG, { ledger: 'ledger', world })
    expect(report).toEqual({
      input: LOG,
      output: null,
      dry_run: false,
      ...TOTALS,
      backup: `${LOG}.backup`,
      rejects: `${LOG}.rejects`,
      report: null,
      compacted: true,
    })
    await using ledger = await openLedger('ledger', { world })
    expect(await ledger.documents.getState('a')).toBe('completed')
    expect(await ledger.documents.getState('b')).toBe('ir_building')
    expect(await ledger.documents.getState('c')).toBe('legacy')
    const history = await Array.fromAsync(ledger.documents.history('d'))
    expect(history).toMatchObject([
      {
        old_state: 'pending',
        new_state: 'pending',
        timestamp: AT + 1,
        actor: 'migration',
        reason: 'ledger.jsonl line 9',
        error_message: 'password=[redacted]',
        metadata: { source: 'pubmed', original_timestamp: 'soon', legacy_fields: { worker: 5 } },
      },
    ])
    expect(await ledger.check()).toEqual([])
    expect(await readLines(world.disk, `${LOG}.rejects`)).toEqual([
      { line: 6, problem: 'it has no doc_id', text: '{"state":"fetching"}' },
      { line: 7, problem: 'it is not JSON', text: 'junk' },
    ])
    expect(await readLog(world.disk, `${LOG}.backup`)).toEqual(Buffer.from(EVERYTHING))
    expect(await readLog(world.disk, LOG)).toEqual(Buffer.from(EVERYTHING))
  })

  it('is not taken over twice, and goes on where it has grown', async () => {
    const torn = '{"doc_id":"t","state":"pend'
    const world = await worldWith(EVERYTHING + torn)
    const open = { ledger: 'ledger', world }
    expect(await migrateLegacy(LOG, open)).toMatchObject({ migrated: 6, rejected: 3 })
    expect(await migrateLegacy(LOG, open)).toMatchObject({
      migrated: 0,
      already_imported: 6,
      rejected: 3,
      documents: 0,
      by_state: {},
      compacted: false,
      agrees: true,
    })
    await writeLog(world.disk, LOG, `${EVERYTHING}${torn}ing"}\n${JSON.stringify(line('a', 'skipped'))}`)
    expect(await migrateLegacy(LOG, { ...open, dryRun: true })).toMatchObject({
      migrated: 2,
      already_imported: 6,
      documents: 1,
      by_state: { pending: 1, completed: -1, skipped: 1 },
    })
    expect(await migrateLegacy(LOG, open)).toMatchObject({ migrated: 2, already_imported: 6, rejected: 2 })
    await writeLog(
      world.disk,
      LOG,
      `${EVERYTHING}${torn}ing"}\n${JSON.stringify(line('a', 'skipped'))}\n${logOf(line('z', 'fetching'))}`,
    )
    expect(await migrateLegacy(LOG, open)).toMatchObject({ lines: 12, migrated: 1, already_imported: 8 })
    expect(await readLog(world.disk, `${LOG}.backup`)).toEqual(Buffer.from(EVERYTHING + torn))
    await using ledger = await openLedger('ledger', { world })
    expect((await ledger.stats()).audit_records).toBe(9)
  })

  it('may lose an end that was cut off: whoever wrote it wrote it anew', async () => {
    const world = await worldWith(`${EVERYTHING}{"doc_id":"t","st`)
    const open = { ledger: 'ledger', world }
    expect(await migrateLegacy(LOG, open)).toMatchObject({ migrated: 6, rejected: 3 })
    await writeLog(world.disk, LOG, EVERYTHING + logOf(line('u', 'fetching')))
    expect(await migrateLegacy(LOG, open)).toMatchObject({ migrated: 1, already_imported: 6, rejected: 2 })
  })

  it.each([
    ['changed', EVERYTHING.replace('strange', 'stronge')],
    ['cut off', EVERYTHING.slice(0, EVERYTHING.indexOf('junk'))],
  ])('is refused when it was %s since', async (_, changed) => {
    const world = await worldWith(EVERYTHING)
    await migrateLegacy(LOG, { ledger: 'ledger', world })
    await writeLog(world.disk, LOG, changed)
    await expect(migrateLegacy(LOG, { ledger: 'ledger', world })).rejects.toMatchObject({
      code: 'LOG_CHANGED',
    })
    await using ledger = await openLedger('ledger', { world })
    expect((await ledger.stats()).audit_records).toBe(6)
  })

  it('goes to an open ledger, and to the tenant that is named', async () => {
    const world = await worldWith(EVERYTHING)
    await using ledger = await openLedger('memory:', { world })
    expect(await ledger.migrate(LOG, { tenant_id: 't2' })).toMatchObject({ migrated: 6, agrees: true })
    expect(await ledger.counts('document', 't2')).toMatchObject(TOTALS.by_state)
    expect(await ledger.migrate(LOG, { tenant_id: 't3', dryRun: true })).toMatchObject({ migrated: 6 })
    expect(await ledger.migrate(LOG, { tenant_id: 't2', dryRun: true })).toMatchObject({ migrated: 0 })
  })

  it('builds on what the ledger knows', async () => {
    const world = await worldWith(logOf(line('a', 'auto_done')))
    await using ledger = await openLedger('memory:', { world })
    await ledger.documents.updateState('a', 'fetching')
    for (const dryRun of [true, false]) {
      expect(await ledger.migrate(LOG, { dryRun })).toMatchObject({
        documents: 0,
        by_state: { fetching: -1, completed: 1 },
        findings: { time_went_back: { count: 1 }, undeclared_edge: { count: 1 } },
      })
    }
  })

  it('ends when it is told to, and goes on the next time', async () => {
    const lines = Array.from({ length: 3000 }, (_, n) => line(`d${n}`, 'fetching'))
    const world = await worldWith(logOf(...lines))
    const end = new AbortController()
    const seen: number[] = []
    const stopped = migrateLegacy(LOG, {
      ledger: 'ledger',
      world,
      report: 'report.txt',
      signal: end.signal,
      onProgress: ({ lines: read }) => {
        seen.push(read)
        if (read > 0) end.abort(new Error('enough'))
      },
    })
    await expect(stopped).rejects.toThrow('enough')
    expect(seen[0]).toBe(0)
    expect(await readLog(world.disk, 'report.txt')).toBeNull()
    expect((await world.disk.list('.')).filter((name) => name.includes('unfinished'))).toEqual([])
    const report = await migrateLegacy(LOG, { ledger: 'ledger', world })
    expect(report.already_imported).toBeGreaterThanOrEqual(1024)
    expect(report.already_imported + report.migrated).toBe(3000)
  })
})

describe('A40: a dry run', () => {
  it.each([{ ledger: 'ledger' }, { output: 'new.jsonl' }, {}])(
    'writes nothing, and says the same: %j',
    async (into) => {
      const world = await worldWith(EVERYTHING)
      const report = await migrateLegacy(LOG, { ...into, dryRun: true, world })
      expect(report).toMatchObject({ dry_run: true, ...TOTALS, backup: null, rejects: null })
      expect(await world.disk.list('old')).toEqual(['ledger.jsonl'])
      expect(await world.disk.list('.')).toEqual(['old'])
    },
  )

  it.each(['report.txt', 'report.json'])('writes the report that was asked for: %s', async (path) => {
    const world = await worldWith(EVERYTHING)
    const report = await migrateLegacy(LOG, { dryRun: true, report: path, world })
    const text = String(await readLog(world.disk, path))
    expect(await world.disk.list('.')).toEqual(['old', path])
    if (path.endsWith('.json')) {
      const { findings, summary } = JSON.parse(text)
      expect(summary).toEqual({ ...report, report: path })
      expect(findings).toHaveLength(9)
      expect(findings[0]).toEqual({
        file: 'ledger.jsonl',
        line: 2,
        kind: 'undeclared_edge',
        what: 'a went from fetching to completed',
      })
    } else {
      expect(text.split('\n').slice(0, 2)).toEqual([
        'ledger.jsonl:2: undeclared_edge: a went from fetching to completed',
        'ledger.jsonl:3: undeclared_edge: b went from pending to fetched',
      ])
      expect(text).toMatch(/^lines +9$/m)
    }
  })

  it('of a log without findings has a report without any', async () => {
    const world = await worldWith(logOf(line('a', 'fetching')))
    await migrateLegacy(LOG, { dryRun: true, report: 'r.json', world })
    expect(JSON.parse(String(await readLog(world.disk, 'r.json'))).findings).toEqual([])
    await migrateLegacy(LOG, { dryRun: true, report: 'r.txt', world })
    expect(String(await readLog(world.disk, 'r.txt'))).toMatch(/^lines/)
  })
})

describe('A40: a log that is written anew', () => {
  it('has an audit record for each transition', async () => {
    const world = await worldWith(EVERYTHING)
    const report = await migrateLegacy(LOG, { output: 'new.jsonl', world })
    expect(report).toMatchObject({ ...TOTALS, output: 'new.jsonl', compacted: false })
    const lines = (await readLines(world.disk, 'new.jsonl')) as object[]
    expect(lines).toHaveLength(6)
    expect(JSON.stringify(lines[1])).toBe(
      JSON.stringify({
        doc_id: 'a',
        old_state: 'fetching',
        new_state: 'completed',
        timestamp: AT + 0.5,
        adapter: 'pubmed',
        error_type: null,
        error_message: null,
        traceback: null,
        retry_count: 0,
        max_retries: 3,
        duration_seconds: 0,
        metadata: { source: 'pubmed', legacy_state: 'auto_done', validated: false },
      }),
    )
    expect(await migrateLegacy('new.jsonl', { ledger: 'ledger', world })).toMatchObject({
      lines: 6,
      migrated: 0,
      already_migrated: 6,
    })
  })

  it('may take its own place, and then stays as it is', async () => {
    const world = await worldWith(EVERYTHING)
    const inPlace = { output: LOG, world }
    await migrateLegacy(LOG, inPlace)
    const migrated = await readLog(world.disk, LOG)
    const rejects = await readLog(world.disk, `${LOG}.rejects`)
    expect(rejects).not.toBeNull()
    expect(await migrateLegacy(LOG, inPlace)).toMatchObject({ lines: 6, already_migrated: 6, rejected: 0 })
    expect(await readLog(world.disk, LOG)).toEqual(migrated)
    expect(await readLog(world.disk, `${LOG}.rejects`)).toEqual(rejects)
    expect(await readLog(world.disk, `${LOG}.backup`)).toEqual(Buffer.from(EVERYTHING))
    // Later ones come after it, and the lines that were put aside before are not forgotten.
    await writeLog(
      world.disk,
      LOG,
      Buffer.concat([migrated as Buffer, Buffer.from(logOf(line('a', 'skipped'), '?'))]),
    )
    expect(await migrateLegacy(LOG, inPlace)).toMatchObject({ already_migrated: 6, migrated: 1, rejected: 1 })
    expect((await readLog(world.disk, LOG))?.subarray(0, migrated?.length)).toEqual(migrated)
    expect(await readLines(world.disk, `${LOG}.rejects`)).toMatchObject([
      { line: 6 },
      { line: 7 },
      { line: 8, text: '?' },
    ])
    expect(await world.disk.list('old')).toEqual([
      'ledger.jsonl',
      'ledger.jsonl.backup',
      'ledger.jsonl.rejects',
    ])
  })

  it('keeps what is no text in a form that is', async () => {
    const world = await worldWith(
      Buffer.concat([Buffer.from([0xff, 0xfe, 10]), Buffer.from(logOf(line('ü', 'fetching')))]),
    )
    await migrateLegacy(LOG, { output: 'new.jsonl', world })
    expect(await readLines(world.disk, `${LOG}.rejects`)).toEqual([
      { line: 1, problem: 'it is not UTF-8', base64: '//4=' },
    ])
    expect(await readLines(world.disk, 'new.jsonl')).toMatchObject([{ doc_id: 'ü' }])
  })

  it('does not hold a line that is too long', async () => {
    const long = Buffer.alloc(17 * 1024 * 1024, 'x')
    const world = await worldWith(
      Buffer.concat([Buffer.from(logOf(line('a', 'fetching'))), long, Buffer.from('\n')]),
    )
    const ledger = { ledger: 'ledger', world }
    expect(await migrateLegacy(LOG, ledger)).toMatchObject({ lines: 2, migrated: 1, rejected: 1 })
    expect(await migrateLegacy(LOG, ledger)).toMatchObject({ lines: 2, already_imported: 1, rejected: 1 })
    const [rejected] = await readLines(world.disk, `${LOG}.rejects`)
    expect(rejected).toMatchObject({
      line: 2,
      problem: `it has ${long.length + 1} bytes, and 16777216 are the most`,
    })
  })
})

describe('what cannot be done', () => {
  it.each([
    [{}, 'ledger'],
    [{ ledger: 'l', output: 'o' }, 'output'],
    [{ output: 'o', report: 'o' }, 'report'],
    [{ output: 'o', report: LOG }, 'report'],
    [{ output: `${LOG}.backup` }, 'output'],
  ])('is refused before anything is written: %j', async (options, field) => {
    const world = await worldWith(EVERYTHING)
    await expect(migrateLegacy(LOG, { ...options, world })).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      field,
    })
    expect(await world.disk.list('old')).toEqual(['ledger.jsonl'])
  })

  it('says that there is no such log', async () => {
    const world = await worldWith('')
    await expect(migrateLegacy('none', { output: 'o', world })).rejects.toMatchObject({
      code: 'FILE_NOT_FOUND',
    })
    await expect(migrateLegacy('none', { ledger: 'l', dryRun: true, world })).rejects.toMatchObject({
      code: 'FILE_NOT_FOUND',
    })
  })
})
