import { Webhook } from 'standardwebhooks'
import { describe, expect, it } from 'vitest'
import { InvalidInput } from '../errors/input-errors.ts'
import { BadSignature, StaleTimestamp } from '../errors/message-errors.ts'
import { keysOf, type Secrets } from './secrets.ts'
import { signatureHeaders } from './sign.ts'
import { verifySignature } from './verify-signature.ts'

const OLD = `whsec_${Buffer.from('the old secret, 24 bytes').toString('base64')}`
const NEW = `whsec_${Buffer.from('the new secret, 24 bytes').toString('base64')}`
const NOW = Date.UTC(2026, 0, 2, 3, 4, 5)
const BODY = '{"jobId":"j-1","note":"zwölf"}'

function signed(secrets: Secrets, { id = 'outbox-1', body = BODY, at = NOW } = {}): Headers {
  return new Headers(signatureHeaders({ id, body }, keysOf(secrets), at))
}

function verify(
  headers: Headers,
  secrets: Secrets,
  { body = BODY, now = NOW, windowMs = undefined as number | undefined } = {},
) {
  return verifySignature({ headers, body: Buffer.from(body), secrets, now, windowMs })
}

function reasonOf(action: () => unknown): string {
  try {
    action()
  } catch (error) {
    if (error instanceof BadSignature || error instanceof StaleTimestamp) return error.reason
    throw error
  }
  return 'accepted'
}

describe('a signature', () => {
  it.each([
    ['of whsec_ and base64', OLD],
    ['of plain text', 'any text that is long enough'],
    ['of bytes', Buffer.from('bytes that are long enough')],
  ])('by a secret %s is known by the same secret', (_, secret) => {
    expect(verify(signed(secret), secret)).toBe('outbox-1')
    expect(reasonOf(() => verify(signed(secret), NEW))).toBe('no_match')
  })

  it('is what an independent implementation of Standard Webhooks makes and takes', () => {
    const webhook = new Webhook(OLD)
    const now = Date.now()
    expect(webhook.verify(BODY, Object.fromEntries(signed([NEW, OLD], { at: now })))).toEqual(
      JSON.parse(BODY),
    )
    const headers = new Headers({
      'webhook-id': 'msg_1',
      'webhook-timestamp': String(Math.floor(now / 1000)),
      'webhook-signature': `v2,unknown ${webhook.sign('msg_1', new Date(now), BODY)}`,
    })
    expect(verify(headers, [NEW, OLD], { now })).toBe('msg_1')
  })

  it('is the one of the specification for its own example', () => {
    const id = 'msg_p5jXN8AQM9LWM0D4loKWxJek'
    const body = '{"test": 2432232314}'
    const headers = signed('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', { id, body, at: 1_614_265_330_000 })
    expect(headers.get('webhook-signature')).toBe('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=')
  })

  it('stays known while secrets are exchanged, whichever side begins', () => {
    expect(verify(signed([OLD, NEW]), OLD)).toBe('outbox-1')
    expect(verify(signed(OLD), [NEW, OLD])).toBe('outbox-1')
    expect(reasonOf(() => verify(signed(OLD), NEW))).toBe('no_match')
  })

  it('fits nothing but what was signed', () => {
    expect(reasonOf(() => verify(signed(OLD), OLD, { body: `${BODY} ` }))).toBe('no_match')
    const otherId = signed(OLD)
    otherId.set('webhook-id', 'outbox-2')
    expect(reasonOf(() => verify(otherId, OLD))).toBe('no_match')
    const later = signed(OLD)
    later.set('webhook-timestamp', String(NOW / 1000 + 1))
    expect(reasonOf(() => verify(later, OLD))).toBe('no_match')
  })

  it.each([
    ['webhook-id', null, 'missing_header'],
    ['webhook-timestamp', null, 'missing_header'],
    ['webhook-signature', null, 'missing_header'],
    ['webhook-id', 'with.stop', 'malformed_header'],
    ['webhook-timestamp', '1e9', 'malformed_header'],
    ['webhook-timestamp', '-1', 'malformed_header'],
    ['webhook-signature', 'v1,', 'no_match'],
    ['webhook-signature', 'nonsense', 'no_match'],
  ])('needs %s: %s is %s', (header, value, reason) => {
    const headers = signed(OLD)
    if (value === null) headers.delete(header)
    else headers.set(header, value)
    expect(reasonOf(() => verify(headers, OLD))).toBe(reason)
  })

  it('is good for five minutes to either side, and not for a second more', () => {
    const headers = signed(OLD)
    const judged = (seconds: number) => reasonOf(() => verify(headers, OLD, { now: NOW + seconds * 1000 }))
    expect([judged(300), judged(301), judged(-300), judged(-301)]).toEqual([
      'accepted',
      'too_old',
      'accepted',
      'too_new',
    ])
    expect(reasonOf(() => verify(headers, OLD, { now: NOW + 2000, windowMs: 1000 }))).toBe('too_old')
  })

  it('tells nobody about the clock who does not have the secret', () => {
    expect(reasonOf(() => verify(signed(NEW), OLD, { now: NOW + 3_600_000 }))).toBe('no_match')
  })
})

it.each([
  ['none', []],
  ['an empty one', ''],
  ['one that can be guessed', 'secret'],
  ['one that is not base64', 'whsec_not base64 at all!!'],
  ['too many', Array.from({ length: 11 }, (_, i) => `secret number ${i}, long enough`)],
  ['something else', [undefined as unknown as string]],
])('refuses secrets that are none: %s, without telling them', (_, secrets) => {
  try {
    keysOf(secrets, 'secret')
    expect.unreachable()
  } catch (error) {
    expect(error).toBeInstanceOf(InvalidInput)
    expect(error).toMatchObject({ field: 'secret', next: expect.stringContaining('openssl rand') })
    expect(JSON.stringify(error)).not.toContain('guessed')
    expect((error as Error).message).not.toMatch(/not base64 at all|secret number/)
  }
})
