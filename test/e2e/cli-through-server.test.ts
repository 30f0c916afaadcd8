// Commands that change a ledger which a server has open. Every one of them is run twice: on a ledger of its own, and through
// a server on a twin of it. What it says and how it ends has to be the same.
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openLedger, type Protocol } from '../../src/index.ts'
import type { LiveLedger } from '../../src/runtime/live-ledger.ts'
import { type HttpServer, serve } from '../../src/server/index.ts'
import { quickFolder } from '../fixtures/quick-folder.ts'
import { runHere } from './cli-here.ts'
import type { Told } from './cli-run.ts'

const place = quickFolder('waybill-served-')
const at = (name: string) => join(place, name)

const PROTOCOLS: readonly Protocol[] = [
  {
    protocol_id: 'fetch.v1',
    request_type: 'FETCH',
    steps: [{ step_id: 'fetch', step_type: 'FETCH', service: 'fetch', delivery: 'pull' }],
  },
  {
    protocol_id: 'review.v1',
    request_type: 'REVIEW',
    steps: [{ step_id: 'review', step_type: 'REVIEW', service: 'people', delivery: 'external' }],
  },
]

const TOPOLOGY = 'name: pdf\nversion: v1\nphases: [one]\nstages:\n  - name: parse\n    phase: one\n'

const TOOL_JOB = {
  job_id: 'tool-1',
  workstream_id: 'ws-1',
  tool: 'command',
  command: { exe: 'true', args: [] },
  env: {},
  paths: {
    repo_root: at('repo'),
    working_dir: '.',
    log_file: 'logs/out.log',
    error_report: 'logs/error.json',
  },
}

const request = (job_id: string) =>
  JSON.stringify({ job_id, request_type: 'FETCH', input_ref: job_id, output_ref: 'o', payload: {} })

const FETCH = ['submit', 'FETCH', '--output', 'out']

/** In the order in which they are run: later ones go on from earlier ones. */
const COMMANDS: readonly (readonly string[])[] = [
  [...FETCH, '--input', 'a', '--id', 'j1', '--key', 'k1', '--reason', 'because'],
  [...FETCH, '--input', 'a', '--id', 'j1', '--key', 'k1'],
  [...FETCH, '--input', 'b', '--key', 'k1', '--json'],
  [...FETCH, '--input', 'b', '--key', 'k1', '--strict', '--json'],
  [...FETCH, '--input', 'c', '--id', 'hers', '--tenant', 'acme', '--json'],
  ['submit', 'NOTHING', '--input', 'a', '--output', 'b', '--json'],
  ['submit', '--file', at('requests.jsonl'), '--json'],
  ['submit', 'pdf', '--topology', at('pdf.yaml'), '--input', 'a', '--output', 'b', '--id', 'p1', '--json'],
  ['submit', 'REVIEW', '--input', 'a', '--output', 'b', '--id', 'r1'],
  ['submit', 'REVIEW', '--input', 'b', '--output', 'b', '--id', 'r2'],
  ['jobs', 'annotate', 'j1', 'approved=true', 'pages=3', 'gone=null'],
  ['jobs', 'expedite', 'j1', '--priority', 'high', '--ignore', 'limits'],
  ['jobs', 'expedite', 'nobody', '--json'],
  ['jobs', 'cancel', 'j1', 'nobody', 'hers', '--reason', 'wrong file'],
  ['jobs', 'cancel', 'hers', '--tenant', 'acme', '--json'],
  ['jobs', 'again', 'j1', '--id', 'j2', '--key', 'again'],
  ['jobs', 'again', 'j1', '--id', 'j2', '--key', 'again', '--json'],
  ['jobs', 'again', 'j2', '--json'],
  ['jobs', 'again', 'j1', '--from', 'nowhere', '--json'],
  ['jobs', 'cancel', '--state', 'QUEUED', '--type', 'FETCH'],
  ['jobs', 'cancel', '--type', 'FETCH', '--expect', '0', '--json'],
  ['jobs', 'cancel', '--type', 'FETCH', '--yes', '--reason', 'all of them', '--json'],
  ['jobs', 'resolve', 'r1', '--done', '--note', 'by hand', '--output', '{"approved":true}'],
  ['jobs', 'resolve', 'r2', '--failed', '--note', 'not worth it', '--json'],
  ['jobs', 'resolve', 'r2', '--done', '--json'],
  ['jobs', 'resolve', 'r22', '--done', '--json'],
  ['docs', 'set', 'd:1/x y', 'fetching', '--adapter', 'pubmed', '--metadata', '{"pages":12}'],
  ['docs', 'set', 'd:1/x y', 'completed', '--json'],
  ['docs', 'set', 'd:1/x y', 'completed', '--no-validate', '--reason', 'no time'],
  ['docs', 'set', 'd:1/x y', 'failed', '--no-validate', '--error-type', 'Timeout', '--error-message', 'none'],
  ['docs', 'set', 'd:1/x y', 'retrying', '--if-match', 'wrong', '--json'],
  ['queue', 'pause', 'fetch', '--reason', 'licence'],
  ['queue', 'resume', 'fetch'],
  ['queue', 'limit', 'fetch', '--concurrency', '2', '--rate', '5/1s', '--json'],
  ['queue', 'limit', 'fetch', '--concurrency', '0', '--json'],
  ['queue', 'add', at('tool.json'), '--priority', 'high', '--json'],
  ['queue', 'add', at('tool.json'), '--after', 'nobody', '--json'],
  ['queue', 'add', at('other.json'), at('unknown.json'), at('missing.json')],
  ['runs', 'create', 'run-1', '--metadata', '{"branch":"main"}'],
  ['runs', 'create', 'run-1', '--json'],
  ['runs', 'move', 'run-1', 'running', '--reason', 'it began', '--json'],
  ['runs', 'move', 'run-1', 'pending', '--json'],
  ['runs', 'move', 'run-1', 'failed', '--if-match', 'wrong', '--json'],
  ['runs', 'move', 'run-1', 'runing', '--json'],
  ['runs', 'seal', 'run-1'],
  [...FETCH, '--input', 'w', '--id', 'w1', '--workstream', 'ws-1', '--run', 'run-3'],
  ['workstreams', 'move', 'ws-1', 'ready', '--reason', 'all is there'],
  ['workstreams', 'move', 'ws-1', 'succeeded', '--json'],
  ['workstreams', 'seal', 'ws-1', '--reason', 'that was all'],
  ['workstreams', 'move', 'ws-1', 'skipped', '--json'],
  ['workstreams', 'move', 'nobody', 'ready', '--json'],
  ['workstreams', 'seal', 'nobody', '--json'],
  ['runs', 'create', 'run-2'],
  ['runs', 'cancel', 'run-2', '--reason', 'wrong branch'],
  ['runs', 'seal', 'nobody', '--json'],
  ['schedule', 'add', 's1', 'FETCH', '--cron', '0 3 1 1 *', '--input', 'a', '--output', 'b'],
  ['schedule', 'add', 's1', 'FETCH', '--cron', 'never', '--input', 'a', '--output', 'b', '--json'],
  ['schedule', 'pause', 's1', '--reason', 'moving'],
  ['schedule', 'resume', 's1'],
  ['schedule', 'remove', 's1', '--json'],
  ['schedule', 'pause', 'nobody', '--json'],
  ['tokens', 'create', 'ann', '--role', 'operator', '--for', 'a,b', '--expires', '90d'],
  ['tokens', 'create', 'ann', '--role', 'viewer', '--for', 'a,a', '--json'],
  ['tokens', 'revoke', '0123456789ab', '--json'],
  ['ledger', 'compact'],
  ['ledger', 'compact', '--output', at('copy.json.gz')],
]

let ledger: LiveLedger
let server: HttpServer

beforeAll(async () => {
  mkdirSync(at('repo'))
  writeFileSync(at('protocols.json'), JSON.stringify(PROTOCOLS))
  writeFileSync(at('pdf.yaml'), TOPOLOGY)
  writeFileSync(at('requests.jsonl'), `${request('l1')}\n{"request_type":"FETCH"}\n${request('l2')}\n`)
  writeFileSync(at('tool.json'), JSON.stringify(TOOL_JOB))
  writeFileSync(at('other.json'), JSON.stringify({ ...TOOL_JOB, command: { exe: 'false', args: [] } }))
  writeFileSync(at('unknown.json'), JSON.stringify({ ...TOOL_JOB, job_id: 'tool-2', tool: 'hammer' }))
  await runHere(['init', at('alone')])
  await runHere(['init', at('served')])
  ledger = await openLedger(at('served'), { protocols: PROTOCOLS })
  // As alone: nobody else changes anything.
  server = await serve(ledger, { keepTime: false })
})

afterAll(async () => {
  await server.close()
  await ledger.close()
  rmSync(place, { recursive: true, force: true })
})

/** Names of a record have no order. */
function sorted(line: string): string {
  if (!line.startsWith('{')) return line
  return JSON.stringify(JSON.parse(line), (_, value) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  )
}

/** Without what is different each time. */
function comparable(told: Told): Told {
  const plain = (text: string) =>
    text
      .split('\n')
      .filter((line) => !line.includes('not count here'))
      .map(sorted)
      .join('\n')
      .replaceAll(/\b(?:alone|served)\b/g, 'ledger')
      .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f-]{22}/g, 'ID')
      .replaceAll(/wb_[0-9a-f]{12}_[\w-]{43}/g, 'TOKEN')
      .replaceAll(/revoke [0-9a-f]{12}/g, 'revoke TOKEN_ID')
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
      .replaceAll(/snapshot-\S+/g, 'SNAPSHOT')
      .replaceAll(/"etag":"[^"]*"/g, '"etag":"ETAG"')
      .replaceAll(/\([\d.]+ k?B, up to seq \d+\)/g, '(SIZE)')
      // What is to be done about it is not the same where a server decides.
      .replaceAll(/They are those of the server:.*?FILE\.|Protocols come from.*?\.json\./g, 'PROTOCOLS')
      .replaceAll(/\b(?:in )?(?:\d+[dhms] ?)+(?=\n|")/g, 'SPAN')
  return { status: told.status, stdout: plain(told.stdout), stderr: plain(told.stderr) }
}

it.each(COMMANDS)('%s %s %s %s %s', async (...args) => {
  const words = args.filter((word) => word !== undefined)
  const actor = words[1] === 'compact' ? [] : ['--actor', 'carol']
  const own = words.some((word) => word === 'submit' || word === 'schedule')
    ? ['--protocols', at('protocols.json')]
    : []
  const takesProtocols = words[0] === 'submit' || words[1] === 'add' ? own : []
  const alone = await runHere([...words, ...actor, ...takesProtocols, '--ledger', at('alone')])
  rmSync(at('copy.json.gz'), { force: true })
  const through = await runHere([...words, ...actor, ...takesProtocols, '--ledger', at('served')])
  expect(alone.stderr).not.toContain('UNEXPECTED')
  expect(comparable(through)).toEqual(comparable(alone))
})

describe('the history of both ledgers', () => {
  const FIELDS = [
    'kind',
    'event',
    'old_state',
    'new_state',
    'actor',
    'reason',
    'adapter',
    'error_type',
  ] as const

  it('says the same: who did what, and why', async () => {
    const [alone, through] = await Promise.all(
      ['alone', 'served'].map(async (name) => {
        const told = await runHere(['ledger', 'audit', '--json', '--limit', '1000', '--ledger', at(name)])
        const records = told.stdout.trim().split('\n')
        return records.map((line) => FIELDS.map((field) => JSON.parse(line)[field]))
      }),
    )
    expect(through).toEqual(alone)
    expect(alone?.length).toBeGreaterThan(40)
    expect(new Set(through?.map((record) => record[4]))).toEqual(new Set(['carol', 'roll-up']))
  })

  it('names whoever runs the command when nobody else is named', async () => {
    await runHere(['docs', 'set', 'mine', 'fetching', '--ledger', at('served')])
    const [record] = (await ledger.audit.query({ kind: 'document', id: 'mine' })).items
    expect(record?.actor).toBe(userInfo().username)
  })
})

describe('what a server leaves in the folder', () => {
  it('is for its owner only, whatever was there before', async () => {
    expect(statSync(at('served/LOCK.json')).mode & 0o777).toBe(0o600)
    expect(JSON.parse(readFileSync(at('served/LOCK.json'), 'utf8'))).toEqual({
      pid: process.pid,
      server: server.url,
      secret: server.localSecret,
    })
  })

  it('is in no error', async () => {
    const refused = await openLedger(at('served')).catch((error: Error) => error)
    expect(refused).toMatchObject({ code: 'LEDGER_LOCKED', details: { server: server.url } })
    expect(inspect(refused) + JSON.stringify(refused)).not.toContain(server.localSecret)
    const told = await runHere(['worker', '--no-tools', '--json', '--ledger', at('served')])
    expect(told.status).toBe(6)
    expect(JSON.parse(told.stderr).error).toMatchObject({
      code: 'LEDGER_LOCKED',
      next: expect.stringContaining('waybill serve MODULE'),
    })
    expect(told.stderr).not.toContain(server.localSecret)
  })
})

describe('options that say how a ledger is opened', () => {
  const through = (...args: readonly string[]) => runHere([...args, '--ledger', at('served')])

  it('do not count, and that is said', async () => {
    const told = await through(...FETCH, '--input', 'z', '--in-flight-limit', '1')
    expect(told).toMatchObject({
      status: 0,
      stderr: expect.stringContaining('--in-flight-limit does not count here'),
    })
  })

  it('are refused where something would not be done', async () => {
    const told = await through('ledger', 'compact', '--keep-history', '90d')
    expect(told).toMatchObject({ status: 2, stderr: expect.stringContaining('keeps its history') })
  })
})

it('what a server leaves out cannot be done through it, and that is said', async () => {
  await runHere(['init', at('closed')])
  await using closed = await openLedger(at('closed'))
  await using _server = await serve(closed, { admin: false })
  const through = (...args: readonly string[]) => runHere([...args, '--ledger', at('closed')])
  expect(await through('docs', 'set', 'a', 'fetching')).toMatchObject({ status: 0 })
  const told = await through('tokens', 'create', 'ann', '--role', 'viewer')
  expect(told).toMatchObject({ status: 2, stderr: expect.stringContaining('start it without --no-admin') })
})

describe('a link', () => {
  it('is asked of the server, and opens as much as was asked for, once', async () => {
    const told = await runHere([
      'tokens',
      'link',
      '--role',
      'viewer',
      '--for',
      'acme',
      '--ledger',
      at('served'),
    ])
    expect(told).toMatchObject({ status: 0, stderr: expect.stringContaining('Good once') })
    const code = new URL(told.stdout.trim()).hash.slice(1)
    const open = () =>
      fetch(`${server.url}/v1/session`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ code }),
      })
    const opened = await open()
    expect(opened.status).toBe(200)
    expect(await opened.json()).toMatchObject({ name: 'local', role: 'viewer', tenants: ['acme'] })
    expect((await open()).status).toBe(401)
  })

  it('needs a server', async () => {
    const told = await runHere(['tokens', 'link', '--ledger', at('alone')])
    expect(told).toMatchObject({ status: 1, stderr: expect.stringContaining('waybill serve --ledger') })
  })
})

describe('a server that is named', () => {
  it('is asked with the token of the environment, in the name that the token has', async () => {
    const { token } = await ledger.tokens.mint({ name: 'dora', role: 'operator', tenants: ['default'] })
    const asked = (...args: readonly string[]) => runHere([...args, '--ledger', server.url])
    expect(await asked('docs', 'set', 'far', 'fetching')).toMatchObject({ status: 2 })
    process.env.WAYBILL_TOKEN = token
    try {
      expect(await asked('docs', 'set', 'far', 'fetching')).toMatchObject({ status: 0 })
      expect(await asked('docs', 'set', 'far', 'fetched', '--actor', 'carol')).toMatchObject({ status: 4 })
      expect(await asked('queue', 'pause', 'fetch')).toMatchObject({ status: 4 })
      expect(await asked('docs', 'list')).toMatchObject({
        status: 2,
        stderr: expect.stringContaining('needs the ledger itself'),
      })
    } finally {
      delete process.env.WAYBILL_TOKEN
    }
    const [record] = (await ledger.audit.query({ kind: 'document', id: 'far' })).items
    expect(record).toMatchObject({ actor: 'dora', new_state: 'fetching' })
  })
})
