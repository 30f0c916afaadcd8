// `waybill serve` in a process of its own: how it begins, how it ends, and that nothing secret gets out.
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runHere } from './cli-here.ts'
import { openWith, request, writeProject } from './cli-jobs-fixture.ts'
import { jsonLines, Shell } from './cli-run.ts'

const shell = new Shell()

const begun: ChildProcess[] = []

beforeAll(() => writeProject(shell))

afterAll(() => {
  for (const child of begun) if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL')
  shell[Symbol.dispose]()
})

interface Told {
  readonly url: string
  readonly link: string
  readonly works_on: readonly string[]
}

/** A server, and all that it says. */
class Served {
  readonly child: ReturnType<Shell['start']>
  readonly told: Told
  output: string
  #ended: Promise<unknown[]>

  private constructor(child: ReturnType<Shell['start']>, first: string, ended: Promise<unknown[]>) {
    this.child = child
    this.told = JSON.parse(first) as Told
    this.output = ''
    this.#ended = ended
  }

  static async start(ledger: string, ...args: readonly string[]): Promise<Served> {
    const child = shell.start(['serve', ...args, '--port', '0', '--json', '--ledger', ledger])
    begun.push(child)
    const ended = once(child, 'close')
    let errors = ''
    const early = (text: Buffer) => {
      errors += text
    }
    child.stderr.on('data', early)
    const lines = createInterface(child.stdout)
    const [first] = await Promise.race([
      once(lines, 'line') as Promise<[string]>,
      ended.then(() => {
        throw new Error(`It ended at once: ${errors}`)
      }),
    ])
    const served = new Served(child, first, ended)
    served.output = errors
    child.stderr.off('data', early).on('data', (text: Buffer) => {
      served.output += text
    })
    return served
  }

  /** Resolves when the log says so. */
  async says(message: string): Promise<void> {
    while (!this.output.includes(message)) await once(this.child.stderr, 'data')
  }

  async ends(signal: NodeJS.Signals): Promise<unknown> {
    this.child.kill(signal)
    const [status] = await this.#ended
    return status
  }

  get ended(): Promise<unknown[]> {
    return this.#ended
  }
}

function secretOf(ledger: string): string {
  return JSON.parse(readFileSync(shell.path(`${ledger}/LOCK.json`), 'utf8')).secret
}

/** A connection of our own, to send things in pieces. */
async function connected(url: string): Promise<Socket & { answer: () => Promise<string> }> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  let text = ''
  socket.setEncoding('utf8').on('data', (part) => {
    text += part
  })
  const closed = once(socket, 'close')
  await once(socket, 'connect')
  return Object.assign(socket, { answer: () => closed.then(() => text) })
}

function json(url: string, secret: string, body: object): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
}

/** Each of them looks like what it is somewhere else: nothing but the place gives it away. */
const SECRETS = Array.from({ length: 50 }, (_, n) => `planted${String(n).padStart(2, '0')}${'x'.repeat(24)}`)

/** Shows a server something secret, in all the ways that requests have. */
async function plant(url: string, own: string): Promise<void> {
  const [wrong, cookies, queries, bodies, errors] = [0, 10, 20, 30, 40].map((n) => SECRETS.slice(n, n + 10))
  const all = [
    ...(wrong ?? []).map((secret) =>
      fetch(`${url}/v1/jobs`, { headers: { authorization: `Bearer ${secret}` } }),
    ),
    ...(cookies ?? []).map((secret) =>
      fetch(`${url}/v1/jobs`, { headers: { cookie: `waybill_session=${secret}` } }),
    ),
    ...(queries ?? []).map((secret) =>
      fetch(`${url}/v1/jobs?token=${secret}`, { headers: { authorization: `Bearer ${own}` } }),
    ),
    ...(bodies ?? []).map((secret) => json(`${url}/v1/session`, own, { code: secret, password: secret })),
    ...(errors ?? []).map((secret) =>
      json(`${url}/v1/documents/planted:move`, own, {
        state: 'failed',
        error: { error_type: 'Error', error_message: `connect failed, password=${secret}` },
      }),
    ),
  ]
  for (const answer of await Promise.all(all)) await answer.text()
}

describe('a ledger in a folder', () => {
  let served: Served

  beforeAll(async () => {
    await runHere(['init', shell.path('ledger')])
    // What somebody left, for everybody to read.
    writeFileSync(shell.path('ledger/LOCK.json'), '{"pid":1,"server":"http://127.0.0.1:9"}', { mode: 0o644 })
    served = await Served.start('ledger', 'waybill.worker.ts', '--name', 'w1', '--actor', 'ada')
  })

  it('is served at an address that it prints, and worked on, and its lock says where to its owner only', async () => {
    expect(served.told).toMatchObject({
      url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      works_on: ['fetch', 'render'],
      publishes_to: ['ocr'],
      pid: served.child.pid,
      auth: true,
      ledger: 'ledger',
    })
    expect(statSync(shell.path('ledger/LOCK.json')).mode & 0o777).toBe(0o600)
  })

  it('takes jobs from the command line and does them; the history says who asked', async () => {
    const told = await shell.run(
      ['submit', 'RENDER', '--input', 'a', '--output', 'b', '--id', 'job', '--ledger', 'ledger'],
      { WAYBILL_ACTOR: 'carol' },
    )
    expect(told).toEqual({ status: 0, stdout: 'job\n', stderr: '' })
    const answer = await fetch(`${served.told.url}/v1/jobs/job/result?wait_ms=20000`, {
      headers: { authorization: `Bearer ${secretOf('ledger')}` },
    })
    expect(await answer.json()).toEqual({ output: { drawn: { bytes: 12 } } })
    await served.says('step job/draw #1: SUCCEEDED')
    const { stdout } = await runHere(['jobs', 'history', 'job', '--json', '--ledger', shell.path('ledger')])
    const actors = jsonLines(stdout).map(({ actor }) => actor)
    expect(actors[0]).toBe('carol')
    expect(actors).toContain('w1')
  })

  it('lets a browser in by the link that it printed, once', async () => {
    const { url, link } = served.told
    const code = new URL(link).hash.slice(1)
    const open = () => json(`${url}/v1/session`, 'none', { code })
    expect((await open()).status).toBe(200)
    expect((await open()).status).toBe(401)
  })

  it('has metrics', async () => {
    const headers = { authorization: `Bearer ${secretOf('ledger')}` }
    const text = await (await fetch(`${served.told.url}/metrics`, { headers })).text()
    expect(text).toContain('waybill_records')
    expect(text).toContain('process_cpu_seconds_total')
  })

  it('says nothing secret, whatever it is shown', async () => {
    const own = secretOf('ledger')
    await plant(served.told.url, own)
    await served.says('UNAUTHENTICATED')
    for (const secret of [...SECRETS, own, new URL(served.told.link).hash.slice(1)]) {
      expect(served.output).not.toContain(secret)
    }
    // All of it is lines of JSON.
    expect(jsonLines(served.output).length).toBeGreaterThan(10)
  })

  it('ends in good order: what is under way is answered, those who wait are let go, and nothing is lost', async () => {
    const secret = secretOf('ledger')
    const { url } = served.told
    const waiting = json(`${url}/v1/work/claim`, secret, { queues: ['nothing'], wait_ms: 60_000 })
    const [slow, ready] = await Promise.all([connected(url), connected(url)])
    const body = JSON.stringify(request('late', 'FETCH', { payload: { does: 'hang' }, delay: '1h' }))
    slow.write(
      `POST /v1/commands HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${secret}\r\n` +
        `content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body.slice(0, 20)}`,
    )
    ready.write('GET /readyz HTTP/1.1\r\n')
    // Those before it have arrived when this is answered.
    expect((await fetch(`${url}/readyz`)).status).toBe(200)
    served.child.kill('SIGTERM')
    await served.says('Stopping')
    expect(await (await waiting).json()).toEqual({ work: [] })
    ready.write('host: localhost\r\n\r\n')
    expect(await ready.answer()).toMatch(/^HTTP\/1\.1 503 /)
    const late = await fetch(`${url}/readyz`).then(
      ({ status }) => status,
      () => 'nobody listens',
    )
    expect([503, 'nobody listens']).toContain(late)
    slow.write(body.slice(20))
    expect(await slow.answer()).toMatch(/^HTTP\/1\.1 202 [\s\S]*"jobId":"late"/)
    expect((await served.ended)[0]).toBe(0)
    expect(existsSync(shell.path('ledger/LOCK.json'))).toBe(false)
    await using ledger = await openWith(shell, 'ledger')
    expect(await ledger.jobs.get('late')).toMatchObject({ job_id: 'late' })
  })
})

describe('a server that was killed', () => {
  it('is in nobody’s way: the next command takes the lock itself', async () => {
    await runHere(['init', shell.path('killed')])
    const served = await Served.start('killed', '--no-link')
    expect(served.told.link).toBeNull()
    const through = await runHere(['docs', 'set', 'a', 'fetching', '--ledger', shell.path('killed')])
    expect(through).toMatchObject({ status: 0 })
    await served.ends('SIGKILL')
    expect(existsSync(shell.path('killed/LOCK.json'))).toBe(true)
    const alone = await runHere(['docs', 'set', 'a', 'fetched', '--ledger', shell.path('killed')])
    expect(alone).toEqual({ status: 0, stdout: 'a: fetching → fetched\n', stderr: '' })
  })

  it('may be named by a lock that somebody else has by now: that one is waited for, for a moment', async () => {
    await runHere(['init', shell.path('stale')])
    await using _other = await openWith(shell, 'stale')
    const gone = { pid: 1, server: 'http://127.0.0.1:9', secret: 'of one that is gone' }
    writeFileSync(shell.path('stale/LOCK.json'), JSON.stringify(gone))
    const told = await runHere(['docs', 'set', 'a', 'fetching', '--ledger', shell.path('stale')])
    expect(told).toMatchObject({ status: 6, stderr: expect.stringContaining('is locked by pid 1') })
    expect(told.stderr).not.toContain(gone.secret)
  })
})

describe('a ledger in a database', () => {
  it('is served while the command line writes beside it; a second signal ends it at once', async () => {
    const place = `sqlite:${shell.path('ledger.db')}`
    await runHere(['init', place])
    const served = await Served.start(place, 'waybill.worker.ts', '--no-auth', '--queue', 'fetch')
    expect(served.told.link).toBeNull()
    const told = await runHere([
      ...['submit', 'FETCH', '--input', 'a', '--output', 'b', '--id', 'long', '--payload', '{"does":"hang"}'],
      ...['--protocols', shell.path('waybill.protocols.json'), '--ledger', place],
    ])
    expect(told).toMatchObject({ status: 0, stdout: 'long\n' })
    const { url } = served.told
    for (let state = ''; state !== 'IN_PROGRESS'; ) {
      const answer = await fetch(`${url}/v1/jobs/long?fields=state`)
      state = ((await answer.json()) as { state: string }).state
    }
    served.child.kill('SIGINT')
    await served.says('Stopping')
    expect(await served.ends('SIGINT')).toBe(130)
  })
})

it.each([
  [['--no-auth', '--host', '0.0.0.0'], 2, 'may only listen on this machine'],
  [['--port', '65536'], 2, '65535 is the last'],
  [['--allow-host', 'http://a'], 2, 'is not a name'],
  [['--public-url', 'https://a.example/path'], 2, 'is not an address of a server'],
  [['--host', '192.0.2.1', '--port', '0'], 2, 'cannot listen at 192.0.2.1'],
  [['--callback-secret-file', 'missing'], 3, 'There is no missing'],
  [['missing.ts'], 3, 'missing.ts'],
  [['--queue', 'nobody'], 2, 'Nobody says how work'],
])('serve %j is refused', async (args, status, said) => {
  const folder = shell.path('refused')
  await runHere(['init', folder])
  const told = await runHere(['serve', ...args, '--ledger', folder])
  expect(told).toMatchObject({ status, stdout: '', stderr: expect.stringContaining(said) })
})
