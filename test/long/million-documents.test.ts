// A million documents, from an old log to a copy of the ledger, through the command line as it is installed. Takes some
// minutes: npm run test:long
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, expect, it } from 'vitest'

const ROOT = join(import.meta.dirname, '../..')
const MAIN = join(ROOT, 'dist/cli/main.js')
const DOCUMENTS = 1_000_000
const START_MS = Date.UTC(2025, 9, 3)

/** What a list of a million may take, all told, Node itself included. */
const LIST_MEGABYTES = 100

const folder = mkdtempSync(join(tmpdir(), 'waybill-million-'))
const log = join(folder, 'ledger.jsonl')

/** How many lines each state ends, and how many lines there are. */
const expected = { lines: 0, completed: 0, failed: 0, fetching: 0, legacy: 0 }

/** Three lines a document, in the order in which they happened: all are begun, then all go on. */
function* logLines(): Generator<string> {
  const line = (n: number, state: string, stage: number) =>
    `${JSON.stringify({
      doc_id: `pubmed:${n}#1:${((n * 2_654_435_761) % 2 ** 32).toString(16).padStart(8, '0')}`,
      state,
      timestamp: new Date(START_MS + stage * DOCUMENTS + n).toISOString(),
      metadata: { source: n % 3 === 0 ? 'arxiv' : 'pubmed' },
    })}\n`
  for (let n = 0; n < DOCUMENTS; n++) yield line(n, 'auto_inflight', 0)
  for (let n = 0; n < DOCUMENTS; n++) if (n % 10 > 0) yield line(n, 'pdf_downloaded', 1)
  for (let n = 0; n < DOCUMENTS; n++) {
    const end = endOf(n)
    if (end !== null) yield line(n, end, 2)
  }
}

function endOf(n: number): 'auto_done' | 'auto_failed' | 'quarantined' | null {
  if (n % 10 === 0) return null
  return n % 10 === 1 ? 'auto_failed' : n % 1000 === 2 ? 'quarantined' : 'auto_done'
}

const STATES = { auto_done: 'completed', auto_failed: 'failed', quarantined: 'legacy' } as const

beforeAll(async () => {
  execFileSync('npm', ['run', '--silent', 'build'], { cwd: ROOT, stdio: 'inherit' })
  const file = createWriteStream(log, { highWaterMark: 1 << 20 })
  for (const text of logLines()) {
    expected.lines++
    if (!file.write(text)) await once(file, 'drain')
  }
  file.end()
  await once(file, 'finish')
  for (let n = 0; n < DOCUMENTS; n++) {
    const end = endOf(n)
    expected[end === null ? 'fetching' : STATES[end]]++
  }
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

interface Ran {
  readonly status: number
  readonly lines: number
  readonly last: string
  readonly megabytes: number
  readonly seconds: number
}

/** Runs a command, counts what it prints, and says how much memory it had at the most. */
async function waybill(...args: string[]): Promise<Ran> {
  const told = `import { writeSync } from 'node:fs'
    import { isMainThread } from 'node:worker_threads'
    if (isMainThread) process.on('exit', () => writeSync(3, String(process.resourceUsage().maxRSS)))`
  const began = performance.now()
  const child = spawn(
    process.execPath,
    ['--import', `data:text/javascript,${encodeURIComponent(told)}`, MAIN, ...args],
    { cwd: folder, stdio: ['ignore', 'pipe', 'inherit', 'pipe'], env: { ...process.env, NODE_OPTIONS: '' } },
  )
  let [lines, last, kilobytes] = [0, '', '']
  const stdout = child.stdout as NodeJS.ReadableStream
  const memory = child.stdio[3] as NodeJS.ReadableStream
  memory.on('data', (text) => {
    kilobytes += text
  })
  createInterface({ input: stdout }).on('line', (line) => {
    lines++
    last = line
  })
  const [status] = (await once(child, 'close')) as [number]
  const ran = {
    status,
    lines,
    last,
    megabytes: Number(kilobytes) / 1024,
    seconds: (performance.now() - began) / 1000,
  }
  console.log(
    `${args.join(' ')}: ${ran.seconds.toFixed(1)} s, ${ran.megabytes.toFixed(0)} MB, ${lines.toLocaleString('en')} lines`,
  )
  return ran
}

async function json(...args: string[]): Promise<{ readonly [name: string]: unknown }> {
  const { status, last } = await waybill(...args, '--json')
  expect(status).toBe(0)
  return JSON.parse(last)
}

it('A40 takes over the log of a million documents, once', async () => {
  const { lines, ...states } = expected
  const dry = await json('ledger', 'migrate', log, '--dry-run')
  expect(dry).toMatchObject({ lines, migrated: lines, documents: DOCUMENTS, by_state: states })
  expect(existsSync(`${log}.backup`)).toBe(false)
  const first = await json('ledger', 'migrate', log)
  expect(first).toMatchObject({
    lines,
    migrated: lines,
    documents: DOCUMENTS,
    by_state: states,
    agrees: true,
  })
  expect(first.findings).toEqual(dry.findings)
  const again = await json('ledger', 'migrate', log)
  expect(again).toMatchObject({ lines, migrated: 0, already_imported: lines, documents: 0, agrees: true })
})

it('A40 writes the same log anew, and finds nothing wrong with it', async () => {
  await json('ledger', 'migrate', log, '--output', 'new.jsonl')
  const { status } = await waybill('ledger', 'validate', 'new.jsonl')
  expect(status).toBe(0)
})

it(`lists a million documents in less than ${LIST_MEGABYTES} MB`, async () => {
  const ran = await waybill('docs', 'list', '--all', '--json')
  expect(ran).toMatchObject({ status: 0, lines: DOCUMENTS })
  expect(ran.megabytes).toBeLessThan(LIST_MEGABYTES)
  // By time each record is looked for in its own block, and some blocks are kept.
  const byTime = await waybill('docs', 'list', '--all', '--json', '--order', 'changed', '--desc')
  expect(byTime).toMatchObject({ status: 0, lines: DOCUMENTS })
  expect(byTime.megabytes).toBeLessThan(1.2 * LIST_MEGABYTES)
  const some = await waybill('docs', 'list', '--all', '--json', '--state', 'legacy')
  expect(some).toMatchObject({ status: 0, lines: expected.legacy })
})

it('A41 counts them, now and at an earlier time, and finds those that are stuck', async () => {
  const now = (await json('ledger', 'stats')) as { states: { document: object } }
  const { lines: __, ...states } = expected
  expect(now.states.document).toMatchObject(states)
  const at = new Date(START_MS + DOCUMENTS - 1).toISOString()
  const then = (await json('ledger', 'stats', '--at', at)) as typeof now
  expect(then.states.document).toMatchObject({ fetching: DOCUMENTS, completed: 0, failed: 0, legacy: 0 })
  const stuck = await waybill('ledger', 'stuck', '--hours', '1', '--json')
  expect(stuck).toMatchObject({ status: 0, lines: expected.fetching + expected.legacy })
  const counted = await waybill('ledger', 'audit', '--count-by', 'transition', '--json')
  expect(counted.status).toBe(0)
})

it('finds nothing wrong with the ledger, nor with a copy of it', async () => {
  expect(await waybill('ledger', 'verify')).toMatchObject({ status: 0 })
  const copy = await json('ledger', 'copy', 'ledger', 'copy')
  expect(copy).toMatchObject({ audit_records: expected.lines, records: { document: DOCUMENTS } })
  expect(await waybill('ledger', 'verify', '--ledger', 'copy')).toMatchObject({ status: 0 })
})
