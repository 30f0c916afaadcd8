// The story: somebody opens a page of evil.com, whose name the next moment leads to 127.0.0.1. The browser takes us for
// evil.com then, and lets its page read what we answer. Only the Host header tells: it says evil.com.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type HttpLedger, httpLedger } from './http-ledger.ts'
import { lines } from './raw-socket.ts'

let http: HttpLedger

beforeAll(async () => {
  http = await httpLedger({ serve: { allowHosts: ['waybill.example', 'BÜCHER.example', '10.0.0.7'] } })
})
afterAll(() => http[Symbol.asyncDispose]())

const get = (...headers: readonly string[]) =>
  http.raw(lines('GET /healthz HTTP/1.1', ...headers, 'Connection: close'))

it.each([
  'localhost',
  'localhost:80',
  'localhost:1',
  'localhost:65535',
  'LOCALHOST',
  'LocalHost:7000',
  '127.0.0.1',
  '127.0.0.1:7000',
  '[::1]',
  '[::1]:7000',
  'waybill.example',
  'waybill.example:443',
  'WAYBILL.EXAMPLE',
  '10.0.0.7:7000',
])('goes by %s', async (host) => {
  const { status } = await get(`Host: ${host}`)
  expect(status).toBe(200)
})

it.each([
  ['a name of somebody else', 'evil.com'],
  ['our name before somebody else’s', 'localhost.evil.com'],
  ['our address before somebody else’s', '127.0.0.1.evil.com'],
  ['a name that leads to our address', '127.0.0.1.nip.io'],
  ['another that does', 'localtest.me'],
  ['our name behind somebody else’s', 'evil.com.localhost'],
  ['a name below ours', 'evil.localhost'],
  ['a name that begins like ours', 'localhost2'],
  ['a name that ends like ours', 'mylocalhost'],
  ['our name without its end', 'localhos'],
  ['a name below one that is allowed', 'evil.waybill.example'],
  ['a name above one that is allowed', 'example'],
  ['an allowed name with more', 'waybill.example.evil.com'],
  ['a full stop at the end', 'localhost.'],
  ['a full stop at the end, and a port', 'localhost.:7000'],
  ['a full stop at the end of the address', '127.0.0.1.'],
  ['two of them', 'localhost..'],
  ['one at the beginning', '.localhost'],
  ['the address as one number', '2130706433'],
  ['in hexadecimal', '0x7f000001'],
  ['in hexadecimal, by parts', '0x7f.0.0.1'],
  ['in octal', '0177.0.0.1'],
  ['in octal, whole', '017700000001'],
  ['shortened', '127.1'],
  ['shortened to three', '127.0.1'],
  ['another of this machine', '127.0.0.2'],
  ['with a zero too many', '127.0.0.01'],
  ['any address', '0.0.0.0'],
  ['any address, in short', '0'],
  ['IPv6 without brackets', '::1'],
  ['IPv6 in full', '[0:0:0:0:0:0:0:1]'],
  ['IPv6 with zeros', '[0000::0001]'],
  ['IPv4 in IPv6', '[::ffff:127.0.0.1]'],
  ['IPv4 in IPv6, in hexadecimal', '[::ffff:7f00:1]'],
  ['any address of IPv6', '[::]'],
  ['IPv6 with a zone', '[::1%25lo]'],
  ['IPv6 with a zone, unescaped', '[::1%lo]'],
  ['a bracket that is not closed', '[::1'],
  ['a bracket too many', '[[::1]]'],
  ['credentials before it', 'user@localhost'],
  ['credentials with a password', 'user:secret@localhost'],
  ['ours as credentials', 'localhost@evil.com'],
  ['ours as credentials, with a port', 'localhost:80@evil.com'],
  ['a port that is none', 'localhost:'],
  ['a port of letters', 'localhost:http'],
  ['a port that is too large', 'localhost:65536'],
  ['a port far too large', 'localhost:99999999999'],
  ['a port below zero', 'localhost:-1'],
  ['two ports', 'localhost:80:80'],
  ['a scheme', 'http://localhost'],
  ['a path', 'localhost/'],
  ['a query', 'localhost?evil.com'],
  ['a hash', 'localhost#evil.com'],
  ['a backslash', 'localhost\\evil.com'],
  ['a list', 'localhost, evil.com'],
  ['a list without a space', 'localhost,evil.com'],
  ['a space within', 'local host'],
  ['a tab within', 'localhost\tevil.com'],
  ['quotes', '"localhost"'],
  ['an escaped full stop', 'localhost%2e'],
  ['an escaped NUL', 'localhost%00.evil.com'],
  ['an underscore', 'local_host'],
  ['letters of another script that look like ours', 'lоcalhost'],
  ['the same, as names are sent', 'xn--lcalhost-s0g'],
  ['wide letters', 'ｌｏｃａｌｈｏｓｔ'],
  ['a dotless i for none', 'localhost\u0131'],
  ['a circled digit', '①27.0.0.1'],
  ['nothing', ''],
  ['a space only', '   '],
  ['a star', '*'],
  ['null', 'null'],
  ['a name of a thousand letters', `${'a'.repeat(1000)}.localhost`],
])('does not go by %s', async (_what, host) => {
  const { status, body } = await get(`Host: ${host}`)
  expect([400, 421]).toContain(status)
  if (status === 421) expect(JSON.parse(body)).toMatchObject({ code: 'WRONG_HOST', next: expect.any(String) })
})

it.each<[string, number | null, readonly string[]]>([
  ['none', 400, []],
  ['two, both ours', 421, ['Host: localhost', 'Host: localhost']],
  ['two, ours first', 421, ['Host: localhost', 'Host: evil.com']],
  ['two, ours last', 421, ['Host: evil.com', 'host: localhost']],
  ['ours elsewhere', 421, ['Host: evil.com', 'X-Forwarded-Host: localhost']],
  ['ours in Forwarded', 421, ['Host: evil.com', 'Forwarded: host=localhost']],
  ['somebody else’s elsewhere, which says nothing', 200, ['Host: localhost', 'X-Forwarded-Host: evil.com']],
  ['on two lines', 400, ['Host: localhost', ' evil.com']],
  ['a space before the colon', 400, ['Host : localhost']],
  ['with a bare line feed inside', 400, ['Host: localhost\nX-Evil: 1']],
  ['with a bare carriage return inside', 400, ['Host: localhost\rX-Evil: 1']],
  ['with spaces around it, which are none of it', 200, ['Host:    localhost   ']],
])('Host headers: %s → %s', async (_what, status, headers) => {
  expect((await get(...headers)).status).toBe(status)
})

it.each<[string, number]>([
  ['GET http://localhost/healthz HTTP/1.1', 200],
  ['GET http://127.0.0.1:80/healthz HTTP/1.1', 200],
  ['GET http://evil.com/healthz HTTP/1.1', 421],
  ['GET http://evil.com:80/v1/jobs HTTP/1.1', 421],
  ['GET http://localhost.evil.com/healthz HTTP/1.1', 421],
  ['GET http://user@localhost/healthz HTTP/1.1', 421],
  ['GET https://evil.com/healthz HTTP/1.1', 421],
  ['GET HTTP://EVIL.COM/healthz HTTP/1.1', 421],
  ['GET ftp://localhost/healthz HTTP/1.1', 421],
  ['GET file:///etc/passwd HTTP/1.1', 421],
  ['GET http:///healthz HTTP/1.1', 421],
  ['GET http://evil.com HTTP/1.1', 421],
  ['GET //evil.com/healthz HTTP/1.1', 404],
])('a target that names a host counts before the header: %s', async (line, status) => {
  // It was routed by its path alone, whomever it was for.
  expect((await http.raw(lines(line, 'Host: localhost', 'Connection: close'))).status).toBe(status)
})

it('a target that is ours does not excuse a header that is not', async () => {
  const { status } = await http.raw(lines('GET http://localhost/healthz HTTP/1.1', 'Host: evil.com'))
  expect(status).toBe(421)
})

it.each([
  ['HTTP/1.0 with our name', lines('GET /healthz HTTP/1.0', 'Host: localhost'), 200],
  ['HTTP/1.0 without a name', lines('GET /healthz HTTP/1.0'), 421],
  ['HTTP/1.0 with somebody else’s', lines('GET /healthz HTTP/1.0', 'Host: evil.com'), 421],
  ['a star', lines('OPTIONS * HTTP/1.1', 'Host: evil.com'), 421],
])('%s', async (_what, text, status) => {
  expect((await http.raw(text)).status).toBe(status)
})

it('what is refused so is refused before anything is looked at, on every route, with a token too', async () => {
  const before = await http.fingerprint()
  for (const path of ['/', '/login', '/v1/jobs', '/v1/openapi.json', '/metrics', '/page.js', '/nowhere']) {
    const answer = await http.raw(
      lines(`GET ${path} HTTP/1.1`, 'Host: evil.com', `Authorization: Bearer ${http.tokens.admin}`),
    )
    expect(answer.status).toBe(421)
    expect(answer.headers['cache-control']).toBe('no-store')
    expect(answer.headers['x-request-id']).toBe(JSON.parse(answer.body).request_id)
  }
  expect(await http.fingerprint()).toBe(before)
})
