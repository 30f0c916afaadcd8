// Who may speak to whom, over real connections and in both directions.
import { createHmac } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import { describe, expect, it } from 'vitest'
import { httpPublisher, messageOf, type OutboxRecord, openLedger, START, serveCallbacks } from 'waybill'
import { createService } from 'waybill/service'
import { atomicOcr } from '../../examples/protocols/atomic.ts'

const OLD = `whsec_${Buffer.from('the secret that was in use').toString('base64')}`
const NEW = `whsec_${Buffer.from('the secret that comes next').toString('base64')}`

async function setUp(secrets: string | string[] = OLD) {
  const stack = new AsyncDisposableStack()
  const ledger = stack.use(await openLedger('memory:', { tenant_id: 't1' }))
  ledger.jobs.register(atomicOcr)
  const callbacks = stack.use(await serveCallbacks(ledger.jobs, { secrets }))
  const { job_id } = await ledger.jobs.submit({
    tenant_id: 't1',
    request_type: 'OCR',
    input_ref: 'in',
    output_ref: 'out',
    payload: {},
    schema_version: 'v1',
    callback_urls: callbacks.callback_urls,
  })
  const [row] = (await ledger.jobs.takeDirectives({ services: ['ocr'] })) as [OutboxRecord]
  const attempt = { tenant_id: 't1', jobId: job_id, stepId: 'ocr', attempt_no: 1, lease_id: row.lease_id }
  return {
    ledger,
    job_id,
    row,
    body: JSON.stringify(attempt),
    urls: callbacks.callback_urls,
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}

/** Signed by an implementation that is not ours. */
function headersOf(secret: string, body: string, at = new Date()) {
  return {
    'webhook-id': 'msg_1',
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': new Webhook(secret).sign('msg_1', at, body),
  }
}

async function post(url: string, body: string, headers: { [name: string]: string }) {
  const response = await fetch(url, { method: 'POST', body, headers })
  return { status: response.status, body: (await response.json()) as { code?: string; status?: unknown } }
}

describe('a callback', () => {
  it('is taken from whoever has the secret, whatever it is written with', async () => {
    await using system = await setUp()
    const { body, urls, ledger, job_id } = system
    expect(await post(urls.ack, body, headersOf(OLD, body))).toMatchObject({ status: 200 })
    expect(await ledger.jobs.get(job_id)).toMatchObject({ state: 'IN_PROGRESS' })
  })

  it.each([
    [
      'a body that was changed',
      (body: string) => ({ sent: body.replace('"attempt_no":1', '"attempt_no":3') }),
      'BAD_SIGNATURE',
    ],
    ['another secret', () => ({ secret: NEW }), 'BAD_SIGNATURE'],
    ['a request that was kept', () => ({ at: new Date(Date.now() - 6 * 60_000) }), 'STALE_TIMESTAMP'],
    ['a request from the future', () => ({ at: new Date(Date.now() + 6 * 60_000) }), 'STALE_TIMESTAMP'],
  ] as const)('is refused with %s, and nothing happens', async (_, change, code) => {
    await using system = await setUp()
    const { body, urls, ledger, job_id } = system
    const before = await ledger.jobs.show(job_id)
    const { sent = body, secret = OLD, at }: { sent?: string; secret?: string; at?: Date } = change(body)
    for (const url of Object.values(urls)) {
      expect(await post(url, sent, headersOf(secret, body, at))).toMatchObject({
        status: 401,
        body: { code },
      })
    }
    expect(await ledger.jobs.show(job_id)).toEqual(before)
  })

  it('that somebody recorded and sends again changes nothing', async () => {
    await using system = await setUp()
    const { body, urls, ledger, job_id } = system
    const headers = headersOf(OLD, body)
    await post(urls.ack, body, headers)
    const before = await ledger.jobs.show(job_id)
    expect(await post(urls.ack, body, headers)).toMatchObject({ status: 200, body: { status: 'ignored' } })
    expect(await ledger.jobs.show(job_id)).toEqual(before)
  })

  it('is understood while secrets are exchanged, and the old one is worth nothing afterwards', async () => {
    await using both = await setUp([NEW, OLD])
    expect((await post(both.urls.ack, both.body, headersOf(OLD, both.body))).status).toBe(200)
    expect((await post(both.urls.ack, both.body, headersOf(NEW, both.body))).status).toBe(200)
    await using after = await setUp(NEW)
    expect((await post(after.urls.ack, after.body, headersOf(OLD, after.body))).status).toBe(401)
  })

  it('needs nothing but an HMAC', async () => {
    await using system = await setUp('a plain secret, as text')
    const { body, urls } = system
    const timestamp = String(Math.floor(Date.now() / 1000))
    const hmac = createHmac('sha256', 'a plain secret, as text').update(`any-id.${timestamp}.${body}`)
    const headers = {
      'webhook-id': 'any-id',
      'webhook-timestamp': timestamp,
      'webhook-signature': `v1,${hmac.digest('base64')}`,
    }
    expect((await post(urls.ack, body, headers)).status).toBe(200)
  })
})

describe('a directive', () => {
  it.each([
    ['is taken while secrets are exchanged', [OLD, NEW], [NEW], 'taken'],
    ['is taken by a service that knows the next one already', OLD, [NEW, OLD], 'taken'],
    ['is refused by a service with another secret', OLD, [NEW], 'HTTP_401'],
  ] as const)('%s', async (_, secret, secrets, outcome) => {
    await using system = await setUp()
    const { row, ledger, job_id } = system
    let runs = 0
    await using service = createService({ secrets, callbackSecret: OLD, handlers: { OCR: () => ++runs } })
    const { url } = await service.listen()
    const publishing = httpPublisher({ url, secret }).publish(
      messageOf(row, 'ocr'),
      new AbortController().signal,
    )
    const told = await publishing.then(
      () => 'taken',
      (error: { code: string }) => error.code,
    )
    expect(told).toBe(outcome)
    if (outcome === 'taken') {
      for await (const { kind, new_state } of ledger.events({ after: START }))
        if (kind === 'job' && new_state === 'SUCCEEDED') break
    }
    const job = await ledger.jobs.get(job_id)
    expect([runs, job?.state]).toEqual(outcome === 'taken' ? [1, 'SUCCEEDED'] : [0, 'DISPATCHING'])
  })
})
