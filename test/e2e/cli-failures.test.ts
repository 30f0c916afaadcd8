// What goes wrong, and what is said of it: a message, the next step, an exit code of its own, and nothing written.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { change } from '../../src/core/decision.ts'
import { openJournal } from '../../src/store/journal/journal.ts'
import { realWorld } from '../../src/world/world.ts'
import { documentRecord } from '../fixtures/document-record.ts'
import { makeFixture } from './cli-fixture.ts'
import { jsonLines, lines, Shell } from './cli-run.ts'
import { ROOT } from './scratch.ts'

const shell = new Shell()

const READING = [
  ['docs', 'list'],
  ['ledger', 'stats'],
]
const WRITING = [
  ['docs', 'set', 'done:9', 'fetching'],
  ['ledger', 'compact'],
  ['ledger', 'repair'],
]

/** A process that has a ledger open, and has written to it. */
async function otherWriter(folder: string): Promise<{ readonly pid: number | undefined } & Disposable> {
  const script = `import { openLedger } from 'waybill'
    const ledger = await openLedger(${JSON.stringify(folder)})
    await ledger.documents.updateState('new:1', 'fetching')
    console.log('open')
    setInterval(() => {}, 1000)`
  const args = ['--conditions=waybill-source', '--input-type=module', '--eval', script]
  const child = spawn(process.execPath, args, {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: 60_000,
  })
  await once(child.stdout, 'data')
  return { pid: child.pid, [Symbol.dispose]: () => void child.kill('SIGKILL') }
}

beforeAll(async () => {
  await makeFixture(shell.path('ledger'), Date.now())
})

afterAll(() => shell[Symbol.dispose]())

describe('a command line that makes no sense', () => {
  it.each([
    [['docs', 'lsit'], "Unknown command 'lsit'", 'Did you mean list? See: waybill docs --help'],
    [['dcos'], "Unknown command 'dcos'", 'Did you mean docs? See: waybill --help'],
    [['docs', 'list', '--stat', 'x'], "Unknown option '--stat'", 'Did you mean --state?'],
    [['docs', 'show'], "Missing required argument 'id'", 'See: waybill docs show --help'],
    [['docs', 'list', '--limit', '0'], '--limit "0" is not a whole number from 1 on', 'Write --limit 10'],
    [['docs', 'list', '--since', 'soon'], '--since "soon" is not a time', 'Write 2025-10-03T12:00:00Z'],
    [
      ['docs', 'list', '--state', 'faild'],
      '"faild" is not a state',
      'Did you mean failed? The states are: pending, ',
    ],
    [['docs', 'set', 'a', 'ir_redy'], '"ir_redy" is not a state', 'Did you mean ir_ready?'],
    [
      ['ledger', 'stuck', '--state', 'pdf_downloaded'],
      '"pdf_downloaded" is not a state',
      'Did you mean fetched?',
    ],
    [
      ['ledger', 'audit', '--state', 'QUEUD', '--kind', 'job'],
      '"QUEUD" is not a state',
      'Did you mean QUEUED?',
    ],
    [
      ['docs', 'set', 'a', 'failed', '--metadata', '[1]'],
      '--metadata is JSON, but not an object',
      '\'{"pages": 12}\'',
    ],
    [
      ['docs', 'list', '--after', 'x'],
      '"x" is not a cursor of this query',
      'Give --after what the last page printed',
    ],
    [['docs', 'list', '--ledger', 'mysql://x'], 'No engine opens "mysql://x"', 'Known are:'],
  ])('%j', async (args, message, next) => {
    const { status, stdout, stderr } = await shell.run(args)
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
    expect(lines(stderr)[0]).toBe(`error: ${message}`)
    expect(lines(stderr)[1]).toMatch(/^next: /)
    expect(lines(stderr)[1]).toContain(next)
  })

  it('is told as JSON with --json', async () => {
    const { status, stdout, stderr } = await shell.run(['docs', 'set', 'a', 'ir_redy', '--json'])
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
    expect(JSON.parse(stderr)).toMatchObject({
      error: { code: 'INVALID_INPUT', field: 'state', details: { nearest: 'ir_ready' } },
    })
  })

  it('is answered with help when a command is missing', async () => {
    const { status, stdout, stderr } = await shell.run(['docs'])
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
    expect(stderr).toContain('Usage: waybill docs [options] [command]')
  })

  it('has written nothing', async () => {
    const before = shell.contents()
    await shell.run(['docs', 'set', 'a', 'ir_redy'])
    expect(shell.contents()).toEqual(before)
  })
})

describe('a ledger that is not there', () => {
  it('a missing folder: exit 3, and none is made', async () => {
    const before = shell.contents()
    const told = await Promise.all(
      [...READING, ...WRITING].map((args) => shell.run([...args, '--ledger', 'typo'])),
    )
    for (const { status, stdout, stderr } of told) {
      expect({ status, stdout }).toEqual({ status: 3, stdout: '' })
      expect(stderr).toBe(
        'error: There is no typo\nnext: Look for a misspelt name, or make a ledger there: waybill init typo\n',
      )
    }
    expect(shell.contents()).toEqual(before)
  })

  it('a folder or a file that is no ledger: exit 2, and it stays as it is', async () => {
    mkdirSync(shell.path('empty'))
    writeFileSync(shell.path('note.txt'), 'precious')
    const before = shell.contents()
    const told = await Promise.all(
      [...WRITING, ['docs', 'list']].flatMap((args, i) => [
        shell.run([...args, '--ledger', 'empty']),
        ...(i % 2 === 0 ? [shell.run([...args, '--ledger', 'note.txt'])] : []),
      ]),
    )
    for (const { status, stdout, stderr } of told) {
      expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
      expect(stderr).toMatch(/^error: \S+ holds no ledger\nnext: .*\n$/)
    }
    expect(shell.contents()).toEqual(before)
  })
})

describe('a ledger that another process writes to', () => {
  it('can be read beside it, but not be written to: exit 6', async () => {
    shell.copy('ledger', 'busy')
    using writer = await otherWriter(shell.path('busy'))
    const before = shell.contents()
    const [shown, verified, ...refused] = await Promise.all([
      shell.run(['docs', 'show', 'new:1', '--ledger', 'busy']),
      shell.run(['ledger', 'verify', '--ledger', 'busy']),
      ...WRITING.map((args) => shell.run([...args, '--ledger', 'busy'])),
    ])
    expect(shown).toMatchObject({ status: 0, stderr: '' })
    expect(verified).toMatchObject({ status: 0, stderr: '' })
    for (const { status, stdout, stderr } of refused) {
      expect({ status, stdout }).toEqual({ status: 6, stdout: '' })
      expect(stderr).toBe(
        `error: busy is locked by pid ${writer.pid}\n` +
          'next: Wait for that process, or end it. Commands that only read work beside it.\n',
      )
    }
    expect(shell.contents()).toEqual(before)
  })
})

describe('a damaged ledger', () => {
  it('is read as far as it goes, written to by nobody, found out, and repaired', async () => {
    shell.copy('ledger', 'damaged')
    const [name = ''] = readdirSync(shell.path('damaged')).filter((file) => file.startsWith('delta-'))
    const delta = shell.path(`damaged/${name}`)
    const bytes = readFileSync(delta)
    const at = bytes.indexOf('many:0100')
    bytes[at] = 0x4d
    writeFileSync(delta, bytes)
    const before = shell.contents()

    const [list, json, set, verify] = await Promise.all([
      shell.run(['docs', 'list', '--limit', '2', '--ledger', 'damaged']),
      shell.run(['docs', 'show', 'done:1', '--json', '--ledger', 'damaged']),
      shell.run(['docs', 'set', 'done:9', 'fetching', '--ledger', 'damaged']),
      shell.run(['ledger', 'verify', '--ledger', 'damaged']),
    ])
    expect(list.status).toBe(5)
    expect(lines(list.stdout)).toHaveLength(3)
    expect(list.stderr).toContain('warning: The ledger is damaged; this is what can be read. damaged/delta-')
    expect(json.status).toBe(5)
    expect(JSON.parse(json.stdout)).toMatchObject({ doc_id: 'done:1', state: 'completed' })
    expect(jsonLines(json.stderr)).toMatchObject([
      { warning: { next: 'waybill ledger repair --ledger damaged' } },
    ])
    expect(set).toMatchObject({ status: 5, stdout: '' })
    expect(set.stderr).toContain('To write again: waybill ledger repair --ledger damaged.')
    expect(verify.status).toBe(5)
    expect(lines(verify.stdout)[0]).toMatch(/^damaged\/delta-\d+\.jsonl: /)
    expect(shell.contents()).toEqual(before)

    const repaired = await shell.run(['ledger', 'repair', '--ledger', 'damaged'])
    expect(repaired.stderr).toBe('')
    expect(repaired.stdout).toMatch(/^repaired {2}damaged\/delta-/)
    expect(repaired.stdout).toMatch(/^kept {6}damaged\/delta-\S+$/m)
    expect(repaired.stdout).toMatch(/^lost {6}seq \d+ to \d+$/m)
    expect(repaired.status).toBe(1)
    const [after, again] = await Promise.all([
      shell.run(['ledger', 'verify', '--ledger', 'damaged']),
      shell.run(['ledger', 'repair', '--json', '--ledger', 'damaged']),
    ])
    expect(after).toMatchObject({ status: 0, stderr: '' })
    expect({ status: again.status, report: JSON.parse(again.stdout) }).toEqual({
      status: 0,
      report: { repaired: [], kept: [], lost: [] },
    })
  })
})

describe('damage that does not matter at the moment', () => {
  /** Turns bits of the only file whose name begins so: at a part of it, or so many bytes before its end. */
  function flip(folder: string, start: string, at: { part: number } | { fromEnd: number }): void {
    const name = readdirSync(shell.path(folder)).find((file) => file.startsWith(start)) ?? ''
    const path = shell.path(`${folder}/${name}`)
    const bytes = readFileSync(path)
    const place = 'part' in at ? Math.floor(bytes.length * at.part) : bytes.length - at.fromEnd
    bytes[place] = (bytes[place] ?? 0) ^ 0x55
    writeFileSync(path, bytes)
  }

  it('in a snapshot: the ledger goes on with what else it has, warns, and verify tells', async () => {
    shell.copy('ledger', 'spoilt')
    // In its index, which whoever opens it reads.
    flip('spoilt', 'snapshot-', { fromEnd: 300 })
    const [show, set, verify] = [
      await shell.run(['docs', 'show', 'done:1', '--ledger', 'spoilt']),
      await shell.run(['docs', 'set', 'done:1', 'fetching', '--ledger', 'spoilt']),
      await shell.run(['ledger', 'verify', '--ledger', 'spoilt']),
    ]
    expect(show.status).toBe(0)
    expect(show.stdout).toContain('completed')
    expect(show.stderr).toMatch(/^warning: spoilt\/snapshot-.* using the snapshot before it\n$/)
    // A refusal is told once, as an error.
    expect(set.stderr.match(/cannot go from/g)).toHaveLength(1)
    expect(verify.status).toBe(5)
    expect(verify.stdout).toMatch(/^spoilt\/snapshot-\S+\.json\.gz: byte /)
    expect(verify.stderr).toContain('Next: waybill ledger repair --ledger spoilt')
  })

  it('in sealed history: whoever asks for it is told, and nobody else', async () => {
    shell.copy('ledger', 'aged')
    flip('aged/audit', '0', { part: 0.3 })
    const [show, history, verify, repair] = await Promise.all([
      shell.run(['docs', 'show', 'done:1', '--ledger', 'aged']),
      shell.run(['docs', 'history', 'done:1', '--ledger', 'aged']),
      shell.run(['ledger', 'verify', '--ledger', 'aged']),
      shell.run(['ledger', 'repair', '--ledger', 'aged']),
    ])
    expect(show).toMatchObject({ status: 0, stderr: '' })
    expect(history).toMatchObject({ status: 5, stdout: '' })
    expect(history.stderr).toContain('next: This part of the history can only come back from a backup.')
    expect(verify.status).toBe(5)
    expect(verify.stderr).toContain('can only come back from a backup')
    expect(repair).toMatchObject({ status: 0, stdout: 'Nothing to repair: the ledger can be written to.\n' })
  })
})

describe('a ledger that contradicts itself', () => {
  it('is found out: exit 1', async () => {
    const store = await openJournal(shell.path('contradiction'), realWorld)
    const put = documentRecord({ doc_id: 'd', state: 'parsed' })
    await store.transact([], () => change(null, { puts: [put] }))
    await store.close()
    const { status, stdout } = await shell.run(['ledger', 'verify', '--ledger', 'contradiction'])
    expect(status).toBe(1)
    expect(stdout).toContain('is parsed, but its history ends with pending')
  })
})

describe('what nobody foresaw', () => {
  it('says how to find out more', async () => {
    mkdirSync(shell.path('odd/audit'), { recursive: true })
    // A folder where a file should be.
    mkdirSync(shell.path('odd/delta-000000000000001.jsonl'))
    const [plain, verbose] = await Promise.all([
      shell.run(['docs', 'list', '--ledger', 'odd']),
      shell.run(['docs', 'list', '--ledger', 'odd'], { NODE_DEBUG: 'waybill' }),
    ])
    expect(plain).toMatchObject({ status: 1, stdout: '' })
    expect(plain.stderr).toMatch(/^error: EISDIR.*\nnext: .*NODE_DEBUG=waybill.*\n$/)
    expect(verbose.stderr).toContain('\n    at ')
  })
})
