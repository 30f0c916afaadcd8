// The worker in Python that is among the examples, in processes of its own.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Protocol } from '../../src/core/job/protocol.ts'
import { openLedger } from '../../src/open-ledger.ts'
import type { LiveLedger } from '../../src/runtime/live-ledger.ts'
import { type HttpServer, serve } from '../../src/server/serve.ts'
import { ROOT } from '../e2e/scratch.ts'

const hasPython = spawnSync('python3', ['-c', 'print("ready")'], { encoding: 'utf8' }).stdout?.includes(
  'ready',
)

const WORDS: Protocol = {
  protocol_id: 'words.v1',
  request_type: 'WORDS',
  steps: [
    {
      step_id: 'count',
      step_type: 'COUNT',
      service: 'words',
      delivery: 'pull',
      // So short that a worker that is gone is missed soon.
      policy: { lease_ms: 900, backoff: { kind: 'list', delaysMs: [0] } },
    },
  ],
}

class PythonWorker {
  readonly #child: ChildProcess
  readonly #lines: string[] = []
  #heard: () => void = () => {}
  /** What it says of why it ended. */
  readonly failure: Promise<string>

  constructor(env: { readonly [name: string]: string }) {
    this.#child = spawn('python3', [`${ROOT}/examples/http-worker.py`], {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    this.failure = text(this.#child.stderr as NodeJS.ReadableStream)
    createInterface({ input: this.#child.stdout as NodeJS.ReadableStream }).on('line', (line) => {
      this.#lines.push(line)
      this.#heard()
    })
  }

  async says(words: string): Promise<void> {
    while (!this.#lines.some((line) => line.includes(words))) {
      await new Promise<void>((resolve) => {
        this.#heard = resolve
      })
    }
  }

  async end(signal: 'SIGTERM' | 'SIGKILL'): Promise<number | null> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return this.#child.exitCode
    const exited = once(this.#child, 'exit')
    this.#child.kill(signal)
    const [code] = await exited
    return code as number | null
  }
}

let ledger: LiveLedger
let server: HttpServer
let workers: PythonWorker[]

beforeEach(async () => {
  ledger = await openLedger('memory:', { protocols: [WORDS], tenant_id: 'acme' })
  ledger.keepTime()
  server = await serve(ledger)
  workers = []
})

afterEach(async () => {
  for (const worker of workers) await worker.end('SIGKILL')
  await server.close()
  await ledger.close()
})

async function startWorker(more: { readonly [name: string]: string } = {}): Promise<PythonWorker> {
  const { token } = await ledger.tokens.mint({ name: 'python', role: 'worker', tenants: ['acme'] })
  const worker = new PythonWorker({ WAYBILL_URL: server.url, WAYBILL_TOKEN: token, ...more })
  workers.push(worker)
  return worker
}

async function ask(
  method: 'GET' | 'POST',
  path: string,
  body?: unknown,
): Promise<{ status: number; json: unknown }> {
  const response = await fetch(`${server.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${server.localSecret}`, 'content-type': 'application/json' },
    ...(body === undefined ? null : { body: JSON.stringify(body) }),
  })
  return { status: response.status, json: await response.json() }
}

async function submit(job_id: string, payload: object): Promise<void> {
  const request = { tenant_id: 'acme', request_type: 'WORDS', input_ref: 'in', output_ref: 'out' }
  const { status } = await ask('POST', '/v1/commands', { ...request, job_id, payload, schema_version: 'v1' })
  expect(status).toBe(202)
}

const resultOf = (job_id: string) => ask('GET', `/v1/jobs/${job_id}/result?wait_ms=20000`)
const stepOf = async (job_id: string) => (await ledger.jobs.show(job_id))?.steps[0]

// There are machines without python3, on which the example cannot run.
describe.skipIf(!hasPython)('the worker in Python (not run where python3 is not installed)', () => {
  it('does what there is, tries again what may succeed, and nothing else', async () => {
    await startWorker({ WAYBILL_WORKER: 'snake' })
    const texts = ['one', 'one two', 'one two three', 'a b c d', 'a b c d e']
    await Promise.all(texts.map((text, index) => submit(`w${index}`, { text })))
    await submit('again', { text: 'at last', fails: 1 })
    await submit('never', { no: 'text' })
    for (const [index, text] of texts.entries()) {
      const output = { words: text.split(' ').length, worker: 'snake' }
      expect(await resultOf(`w${index}`)).toEqual({ status: 200, json: { output } })
    }
    expect(await resultOf('again')).toMatchObject({ status: 200, json: { output: { words: 2 } } })
    expect(await stepOf('again')).toMatchObject({ attempt_no: 2 })
    expect(await resultOf('never')).toMatchObject({ status: 409, json: { code: 'JOB_FAILED' } })
    expect(await stepOf('never')).toMatchObject({ attempt_no: 1, last_error_code: 'NO_TEXT' })
  })

  it('stops what is cancelled, and goes on with the next', async () => {
    const worker = await startWorker({ WAYBILL_CONCURRENCY: '1' })
    await submit('long', { text: 'x', slow: 1 })
    await worker.says('began long/count attempt 1')
    await submit('next', { text: 'x y' })
    await ask('POST', '/v1/jobs/long:cancel?tenant_id=acme&reason=changed%20my%20mind')
    await worker.says('cancelled long/count attempt 1')
    expect(await resultOf('long')).toMatchObject({ status: 409, json: { details: { state: 'CANCELLED' } } })
    expect(await resultOf('next')).toMatchObject({ status: 200, json: { output: { words: 2 } } })
  })

  it('is killed, and another one takes over when its lease is over', async () => {
    const first = await startWorker({ WAYBILL_WORKER: 'first' })
    await submit('job', { text: 'x y z', slow: 1 })
    await first.says('began job/count attempt 1')
    await first.end('SIGKILL')
    await startWorker({ WAYBILL_WORKER: 'second' })
    expect(await resultOf('job')).toEqual({ status: 200, json: { output: { words: 3, worker: 'second' } } })
    expect(await stepOf('job')).toMatchObject({ attempt_no: 2, released: 0 })
  })

  it('gives back what it has when it is told to end, and another one has it at once', async () => {
    const first = await startWorker({ WAYBILL_GRACE: '0.1' })
    await submit('job', { text: 'x y', slow: 1 })
    await first.says('began job/count attempt 1')
    expect(await first.end('SIGTERM')).toBe(0)
    await startWorker({ WAYBILL_WORKER: 'second' })
    expect(await resultOf('job')).toEqual({ status: 200, json: { output: { words: 2, worker: 'second' } } })
    expect(await stepOf('job')).toMatchObject({ attempt_no: 2, released: 1 })
  })

  it('ends at once when it waits for work, and says why when it is not let in', async () => {
    const idle = await startWorker()
    await idle.says('takes work of words')
    expect(await idle.end('SIGTERM')).toBe(0)
    expect(await idle.failure).toBe('')
    const stranger = await startWorker({ WAYBILL_TOKEN: 'wb_000000000000_nobody' })
    expect(await stranger.failure).toMatch(
      /^401 UNAUTHENTICATED: .* Make a token with: waybill tokens create/,
    )
  })
})
