// Requests that are meant to hurt. Each is refused, costs little, and others are served meanwhile and after.
import { gzipSync } from 'node:zlib'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { envelope, type HttpLedger, httpLedger, OURS } from './http-ledger.ts'
import { lines } from './raw-socket.ts'

const MIB = 1024 * 1024

let http: HttpLedger
let before: string

beforeAll(async () => {
  http = await httpLedger({ settings: { tenant_id: OURS } })
  before = await http.records()
})
afterEach(async () => {
  expect((await http.ask('GET', '/healthz')).status).toBe(200)
  expect((await http.as('viewer', 'GET', '/v1/jobs')).status).toBe(200)
  expect(await http.records()).toBe(before)
})
afterAll(() => http[Symbol.asyncDispose]())

const send = (body: string | Uint8Array, headers: { [name: string]: string } = {}) =>
  http.as('operator', 'POST', '/v1/commands', { body, headers })

const said = async (answer: ReturnType<typeof send>) => {
  const { status, json } = await answer
  return `${status} ${json.code}`
}

const head = (...more: readonly string[]) =>
  lines(
    'POST /v1/commands HTTP/1.1',
    'Host: localhost',
    `Authorization: Bearer ${http.tokens.operator}`,
    'Content-Type: application/json',
    ...more,
  )

describe('size', () => {
  it('a body over the limit is refused by what it says of its length', async () => {
    const { status, body } = await http.raw(head(`Content-Length: ${MIB + 1}`, 'Connection: close'))
    expect([status, JSON.parse(body).code]).toEqual([413, 'BODY_TOO_LARGE'])
  })

  it('a body over the limit is refused when it comes in pieces and says nothing of its length', async () => {
    const chunk = 'a'.repeat(64 * 1024)
    const piece = `${chunk.length.toString(16)}\r\n${chunk}\r\n`
    const { status, body } = await http.raw({
      chunks: [head('Transfer-Encoding: chunked', 'Connection: close'), ...Array<string>(20).fill(piece)],
    })
    expect(status).toBe(413)
    expect(body).toContain('BODY_TOO_LARGE')
  })

  it.each([MIB - 2000, MIB])('a body of %i bytes is read', async (size) => {
    const text = JSON.stringify({ commands: [], pad: '' })
    const body = text.replace('""', JSON.stringify('a'.repeat(size - text.length)))
    expect(body.length).toBe(size)
    expect(await said(http.as('operator', 'POST', '/v1/commands:batch', { body }))).toBe('422 INVALID_INPUT')
  })

  it('a length that is none, or two of them, or a length and pieces, is no request', async () => {
    for (const wrong of [
      ['Content-Length: -1'],
      ['Content-Length: 1e3'],
      ['Content-Length: 0x10'],
      ['Content-Length: 2', 'Content-Length: 3'],
      ['Content-Length: 2, 3'],
      ['Content-Length: 2', 'Transfer-Encoding: chunked'],
      ['Transfer-Encoding: gzip'],
      ['Transfer-Encoding: chunked, identity'],
      ['Transfer-Encoding: xchunked'],
      ['Transfer-Encoding : chunked'],
    ]) {
      const answer = await http.raw({ chunks: [head(...wrong, 'Connection: close'), '0\r\n\r\n'] })
      expect(answer.status).toBe(400)
    }
  })

  it('who may not come in is not listened to', async () => {
    const text = lines(
      'POST /v1/commands HTTP/1.1',
      'Host: localhost',
      'Content-Type: application/json',
      `Content-Length: ${MIB}`,
      'Connection: close',
    )
    expect((await http.raw(text)).status).toBe(401)
  })
})

describe('JSON', () => {
  it.each([
    ['101 levels', `{"payload":${'['.repeat(101)}${']'.repeat(101)}}`],
    ['100,000 levels of lists', '['.repeat(100_000) + ']'.repeat(100_000)],
    ['100,000 levels of objects', `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`],
    ['levels without an end', '['.repeat(500_000)],
    [
      '200,000 keys',
      `{${Array.from({ length: 200_000 - 150_000 }, (_, i) => `"k${i}":1`).join(',')},"l":[${'1,'.repeat(150_000)}1]}`,
    ],
    ['100,001 keys', `{${Array.from({ length: 100_001 }, (_, i) => `"${i.toString(36)}":1`).join(',')}}`],
    ['half a million values', `[${'1,'.repeat(500_000)}1]`],
  ])('%s are refused', async (_what, body) => {
    expect(body.length).toBeLessThanOrEqual(MIB)
    expect(await said(send(body))).toBe('400 BAD_MESSAGE')
  })

  it.each<[string, string, string]>([
    ['a number beyond all numbers', '1e999', '422'],
    ['the same, below zero', '-1e999', '422'],
    ['minus zero where a count is meant', '"x"', '422'],
    ['a number of 100,000 digits', '9'.repeat(100_000), '422'],
    ['NaN', 'NaN', '400'],
    ['Infinity', 'Infinity', '400'],
    ['a hexadecimal number', '0x10', '400'],
    ['a number with a zero before it', '01', '400'],
    ['half a character', '"\\ud800"', '422'],
  ])('%s: %#', async (_what, number, status) => {
    const body = JSON.stringify(envelope({ job_id: 'X', payload: 'P' }))
      .replace('"X"', number === '"\\ud800"' || number === '"x"' ? number : '"x"')
      .replace('"P"', number)
      .replace('"v1"', '"v2"')
    expect((await said(send(body))).slice(0, 3)).toBe(status)
  })

  it.each<[string, string | Uint8Array]>([
    ['bytes that are not UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d])],
    ['overlong UTF-8', Buffer.from([0x7b, 0x22, 0xc0, 0xaf, 0x22, 0x3a, 0x31, 0x7d])],
    ['half a character of UTF-16', Buffer.from([0x7b, 0x22, 0xed, 0xa0, 0x80, 0x22, 0x3a, 0x31, 0x7d])],
    ['UTF-16', Buffer.from('{"a":1}', 'utf16le')],
    ['NUL before it', '\0{"a":1}'],
    ['NUL after it', '{"a":1}\0'],
    ['NUL within', '{"a\0":1}'],
    ['only NUL', '\0\0\0\0'],
    ['a comment', '{"a":1} // x'],
    ['single quotes', "{'a':1}"],
    ['two values', '{}{}'],
    ['a line each', '{}\n{}'],
    ['no end', '{"a":'],
    ['only spaces', '   '],
    ['XML', '<?xml version="1.0"?><!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]><x>&e;</x>'],
    ['YAML', 'a: 1'],
    ['a form', 'a=1&b=2'],
  ])('%s is not JSON', async (_what, body) => {
    const { status, json } = await send(body)
    expect([status, json.code]).toEqual([400, 'BAD_MESSAGE'])
  })

  it('a mark for the order of bytes is passed over', async () => {
    expect((await said(send('\ufeff{"a":1}'))).slice(0, 3)).toBe('422')
  })

  it('what is not JSON is not quoted', async () => {
    const { text } = await send('{"password":"hunter2",}')
    expect(text).not.toContain('hunter2')
    const other = await send('hunter2')
    expect(other.text).not.toContain('hunter2')
  })
})

describe('encodings and types', () => {
  const body = JSON.stringify(envelope())

  it.each(['gzip', 'deflate', 'br', 'zstd', 'compress', 'identity, gzip', 'x-gzip'])(
    'a body that is packed (%s) is not unpacked',
    async (encoding) => {
      const packed = encoding.includes('gzip') ? gzipSync(body) : Buffer.from(body)
      const { status, json } = await send(packed, { 'content-encoding': encoding })
      expect([status, json.code]).toEqual([415, 'UNSUPPORTED_MEDIA'])
    },
  )

  it.each([
    'text/plain',
    'text/json',
    'application/xml',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/jsonp',
    'application/json-patch+json',
    'application/octet-stream',
    'application/json, text/plain',
    'json',
    '*/*',
    '',
    ';',
    'application/json; charset=utf-16',
    'application/json; charset=iso-8859-1',
  ])('a body of type %j is not read', async (type) => {
    const { status, json } = await send(body, { 'content-type': type })
    expect([status, json.code]).toEqual([415, 'UNSUPPORTED_MEDIA'])
  })

  it.each(['application/json; charset=utf-8', 'APPLICATION/JSON', 'application/json;charset="UTF-8"'])(
    'a body of type %j is read',
    async (type) => {
      const { status } = await send('{"a":1}', { 'content-type': type })
      expect(status).toBe(422)
    },
  )
})

describe('heads', () => {
  it('100 kB of headers are not read', async () => {
    const many = Array.from({ length: 1000 }, (_, i) => `X-${i}: ${'a'.repeat(90)}`)
    const one = [`X-Long: ${'a'.repeat(100_000)}`]
    for (const headers of [many, one]) {
      const { status, body } = await http.raw(lines('GET /healthz HTTP/1.1', 'Host: localhost', ...headers))
      expect(status).toBe(400)
      expect(JSON.parse(body)).toMatchObject({ code: 'BAD_MESSAGE', request_id: expect.any(String) })
    }
  })

  it('a path of 10 kB leads nowhere', async () => {
    const long = 'a'.repeat(10_000)
    for (const path of [`/${long}`, `/v1/${'a/'.repeat(5000)}`, `/v1/documents:move${long}`]) {
      expect((await http.ask('GET', path)).status).toBe(404)
    }
    for (const id of ['a'.repeat(513), 'a'.repeat(5000), long, '%C3%A4'.repeat(600)]) {
      const { status, json, headers, text } = await http.as('viewer', 'GET', `/v1/jobs/${id}`)
      expect([400, 422]).toContain(status)
      expect(text.length).toBeLessThan(1000)
      expect(json.request_id).toBe(headers['x-request-id'])
    }
  })

  it('an id that none can be is refused in the same words everywhere', async () => {
    for (const id of ['%00', '%0A', '%7F', '%20', 'a%00b']) {
      for (const path of [`/v1/jobs/${id}`, `/v1/runs/${id}`, `/v1/documents/${id}/history`]) {
        const { status, json } = await http.as('viewer', 'GET', path)
        expect([status, json.code]).toEqual([422, 'INVALID_INPUT'])
      }
    }
  })

  it('escapes that stand for nothing are refused, and not quoted', async () => {
    for (const path of [
      '/v1/jobs/%zz',
      '/v1/jobs/%',
      '/v1/jobs/%ff%fe-hunter2',
      '/%c0%af',
      '/v1/jobs/%E0%A4%A',
    ]) {
      const { status, json, headers, text } = await http.as('viewer', 'GET', path)
      expect([status, json.code]).toEqual([400, 'BAD_MESSAGE'])
      expect(text).not.toContain('hunter2')
      expect(json.request_id).toBe(headers['x-request-id'])
      expect(headers['x-content-type-options']).toBe('nosniff')
    }
  })

  it('thousands of parameters of a query are refused', async () => {
    // As many as fit into the head of a request.
    const many = Array.from({ length: 3000 }, (_, i) => `${i.toString(36)}=`).join('&')
    expect(await said(http.as('viewer', 'GET', `/v1/jobs?${many}`))).toBe('422 INVALID_INPUT')
    const same = 'state=QUEUED&'.repeat(1000)
    expect(await said(http.as('viewer', 'GET', `/v1/jobs?${same}`))).toBe('422 INVALID_INPUT')
    const all = Array.from({ length: 10_000 }, (_, i) => `k${i}=1`).join('&')
    const { status } = await http.raw(lines(`GET /v1/jobs?${all} HTTP/1.1`, 'Host: localhost'))
    expect(status).toBe(400)
  })

  it.each([
    ['garbage', 'GET\r\n\r\n'],
    ['a greeting of TLS', Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01, 0xfc, 0x03, 0x03])],
    ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['a version that is none', lines('GET / HTTP/9.9', 'Host: localhost')],
    ['a method that is none', lines('G3T / HTTP/1.1', 'Host: localhost')],
    ['no target', lines('GET HTTP/1.1', 'Host: localhost')],
    ['a header without a name', lines('GET / HTTP/1.1', 'Host: localhost', ': x')],
    ['a header with a NUL', lines('GET / HTTP/1.1', 'Host: localhost', 'X: a\0b')],
    ['a line without an end', `GET /${'a'.repeat(70_000)}`],
    ['zeros', Buffer.alloc(100_000)],
  ])('%s is answered with a problem', async (_what, text) => {
    const { status, headers, body } = await http.raw({ chunks: [text], halfClose: true })
    expect(status).toBe(400)
    expect(headers['content-type']).toBe('application/problem+json')
    expect(JSON.parse(body)).toMatchObject({ code: 'BAD_MESSAGE', status: 400 })
  })

  it('what comes after a good request on the same connection is not taken for part of it', async () => {
    const good = lines('GET /healthz HTTP/1.1', 'Host: localhost')
    const { text } = await http.raw({ chunks: [`${good}\0\0GARBAGE\r\n\r\n`], halfClose: true })
    expect(text.match(/HTTP\/1\.1 \d{3}/g)).toContain('HTTP/1.1 400')
  })

  it('a request inside the body of another is its body', async () => {
    const inner = lines(
      'POST /v1/runs HTTP/1.1',
      'Host: localhost',
      `Authorization: Bearer ${http.tokens.admin}`,
    )
    const outer = lines('GET /healthz HTTP/1.1', 'Host: localhost', `Content-Length: ${inner.length}`)
    const { text } = await http.raw({ chunks: [`${outer}${inner}`], halfClose: true })
    expect(text.match(/HTTP\/1\.1 \d{3}/g)).toEqual(['HTTP/1.1 200'])
  })
})

describe('slowness', () => {
  it('requests that do not come to their end are given up, and others are served meanwhile', async () => {
    await using quick = await httpLedger({ serve: { requestTimeoutMs: 1000 } })
    const head = (...more: readonly string[]) =>
      lines('POST /v1/session HTTP/1.1', 'Host: localhost', 'Content-Type: application/json', ...more)
    const slow = [
      'GET /healthz HTTP/1.1\r\nHost: loc',
      `${head('Content-Length: 100')}{"co`,
      `${head('Transfer-Encoding: chunked')}5\r\n{"c`,
      // Hundreds that say nothing at all.
      ...Array<string>(300).fill(''),
    ]
    const answers = slow.map((text) => quick.raw(text))
    for (let i = 0; i < 20; i++) expect((await quick.ask('GET', '/healthz')).status).toBe(200)
    for (const { status, body } of await Promise.all(answers)) {
      expect(status).toBe(400)
      expect(body).toContain('in time')
    }
  })
})
