// The services of examples/ocr-service, each as a program of its own, against a ledger in this process.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type CallbackServer,
  type DeliveryFailed,
  httpPublisher,
  type Ledger,
  messageOf,
  type OutboxRecord,
  openLedger,
  START,
  serveCallbacks,
} from 'waybill'
import { environment } from '../e2e/environment.ts'
import { ROOT } from '../e2e/scratch.ts'
import { CALLBACK_SECRET, DIRECTIVE_SECRET } from './pushed-ledger.ts'

const python = spawnSync('python3', ['-c', 'print("ready")'], { encoding: 'utf8' }).stdout?.includes('ready')
const folder = join(ROOT, 'examples/ocr-service')

const PROGRAMS = [
  {
    name: 'service.py',
    command: ['python3', join(folder, 'service.py')],
    whyNot: python ? null : 'python3 is not installed',
  },
  {
    name: 'service.ts',
    command: [process.execPath, '--conditions=waybill-source', join(folder, 'service.ts')],
    whyNot: null,
  },
]

/** Short leases, so that heartbeats come soon. */
const OCR = {
  protocol_id: 'ocr.v1',
  request_type: 'OCR',
  steps: [{ step_id: 'ocr', step_type: 'OCR', service: 'ocr', delivery: 'push', policy: { lease_ms: 1500 } }],
} as const

describe.each(PROGRAMS)('examples/ocr-service/$name', ({ command, whyNot }) => {
  let child: ChildProcess
  let url: string
  let ledger: Ledger
  let callbacks: CallbackServer

  beforeAll(async () => {
    ledger = await openLedger('memory:', { tenant_id: 't1' })
    ledger.jobs.register(OCR)
    callbacks = await serveCallbacks(ledger.jobs, { secrets: CALLBACK_SECRET })
    if (whyNot === null) [child, url] = await start(command)
  })
  afterAll(async () => {
    if (whyNot === null && child.exitCode === null) {
      const exited = once(child, 'exit')
      child.kill('SIGTERM')
      await exited
    }
    await callbacks.close()
    await ledger.close()
  })

  async function submit(input_ref: string, payload = {}): Promise<OutboxRecord> {
    await ledger.jobs.submit({
      tenant_id: 't1',
      request_type: 'OCR',
      input_ref,
      output_ref: 'out',
      payload,
      schema_version: 'v1',
      callback_urls: callbacks.callback_urls,
    })
    const [row] = (await ledger.jobs.takeDirectives({ services: ['ocr'] })) as [OutboxRecord]
    return row
  }

  function publish(row: OutboxRecord, { secret = DIRECTIVE_SECRET, at = Date.now() } = {}): Promise<string> {
    const publisher = httpPublisher({ url, secret, world: { clock: { now: () => at } } })
    return publisher.publish(messageOf(row, 'ocr'), new AbortController().signal).then(
      () => 'published',
      (error: DeliveryFailed) => error.code,
    )
  }

  async function until(job_id: string, state: string): Promise<void> {
    for await (const record of ledger.events({ after: START }))
      if (record.kind === 'job' && record.job_id === job_id && record.new_state === state) return
  }

  it('A19 A21 does a step once, though its directive comes three times', async (context) => {
    if (whyNot !== null) return context.skip(`${whyNot}`)
    const row = await submit('s3://in/twice.pdf', { page_range: '1-7' })
    expect(await Promise.all([publish(row), publish(row)])).toEqual(['published', 'published'])
    await until(row.job_id, 'SUCCEEDED')
    expect(await ledger.jobs.show(row.job_id)).toMatchObject({
      steps: [{ output: { uri: 's3://in/twice.pdf', pages: 7 } }],
    })
    expect(await publish(row)).toBe('published')
    // If it had been begun again, the ledger would have heard so by the time that another one is done.
    const other = await submit('s3://in/once.pdf')
    await publish(other)
    await until(other.job_id, 'SUCCEEDED')
    for await (const { event } of ledger.jobs.history(row.job_id)) expect(event).not.toBe('ignored')
  })

  it('A14 says what can never be read', async (context) => {
    if (whyNot !== null) return context.skip(`${whyNot}`)
    const row = await submit('s3://in/notes.txt')
    await publish(row)
    await until(row.job_id, 'FAILED_FINAL')
    const told = { error_code: 'UNREADABLE', error_message: 's3://in/notes.txt is not a PDF' }
    expect(await ledger.jobs.get(row.job_id)).toMatchObject(told)
  })

  it('A16 hears by a heartbeat that its job is cancelled', async (context) => {
    if (whyNot !== null) return context.skip(`${whyNot}`)
    const row = await submit('s3://in/endless.pdf', { page_range: '1-1000000' })
    await publish(row)
    await until(row.job_id, 'IN_PROGRESS')
    await ledger.jobs.cancel(row.job_id)
    await until(row.job_id, 'CANCELLED')
    expect(await ledger.jobs.show(row.job_id)).toMatchObject({ steps: [{ last_error_code: 'CANCELLED' }] })
  })

  it('takes nothing from others, and nothing that was kept', async (context) => {
    if (whyNot !== null) return context.skip(`${whyNot}`)
    const row = await submit('s3://in/forged.pdf')
    expect(await publish(row, { secret: 'what somebody else signs with' })).toBe('HTTP_401')
    expect(await publish(row, { at: Date.now() - 600_000 })).toBe('HTTP_401')
    const other = { ...row, payload: { ...row.payload, step_type: 'SIS' } }
    expect(await publish(other)).toBe('HTTP_422')
    expect(await publish({ ...row, payload: { step_type: 'OCR' } })).toBe('HTTP_400')
    expect(await ledger.jobs.get(row.job_id)).toMatchObject({ state: 'DISPATCHING' })
  })
})

async function start([program = '', ...args]: readonly string[]): Promise<[ChildProcess, string]> {
  const env = environment({
    WAYBILL_SECRET: DIRECTIVE_SECRET,
    WAYBILL_CALLBACK_SECRET: CALLBACK_SECRET,
    PORT: '0',
  })
  const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'inherit'] })
  const lines = createInterface({ input: child.stdout })
  const [line] = (await Promise.race([once(lines, 'line'), once(child, 'exit')])) as [unknown]
  const url = /^listening on (\S+)$/.exec(String(line))?.[1]
  if (url === undefined) throw new Error(`${program} did not start: ${line}`)
  child.stdout.resume()
  return [child, url]
}
