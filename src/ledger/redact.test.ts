import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { redactJson, redactText } from './redact.ts'

/** The part in « » is the secret. */
const QUOTED = [
  'connect to postgres://waybill:«hunter2»@db:5432/ledger failed',
  'redis://:«p%40ss»@cache/0',
  'mongodb+srv://u:«s3cr3t»@cluster.example/db?w=1',
  'Authorization: Bearer «abcdef0123456789.xyz»',
  'headers: { authorization: "Basic «dXNlcjpwYXNzd29yZA==»" }',
  '{"password": "«correct horse battery»", "user": "ann"}',
  "{ apiKey: '«k-123456»', host: 'x' }",
  'password=«hunter2» host=db',
  'PGPASSWORD=«hunter2»',
  'DefaultEndpointsProtocol=https;AccountName=wb;AccountKey=«Zm9vYmFyYmF6cXV4»;EndpointSuffix=core.windows.net',
  'Endpoint=sb://x/;SharedAccessKeyName=root;SharedAccessKey=«Zm9vYmFyYmF6»',
  'https://blob/x?sv=2024&sig=«a%2Fb%3D»&se=1',
  'client_secret: «very-secret»',
  'GET https://api/x?access_token=«tok123456»&page=2',
  'x-api-key: «12345»',
  'Set-Cookie: «session»; Path=/',
  'refresh_token="«r-1»"',
  'token «eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc-DEF_123» expired',
  'key «AKIAIOSFODNN7EXAMPLE» is not active',
  'refused wb_0123456789ab_«k3yOf43-characters_k3yOf43-characters_k3yOf4», who is that?',
  '{"line":"first\\nwb_0123456789ab_«k3yOf43-characters_k3yOf43-characters_k3yOf4»"}',
  'remote: «ghp_0123456789abcdefghijABCDEFGHIJ012345»',
  '«github_pat_11ABCDEFG0123456789_abcdefghij»',
  '«glpat-abcdefghij0123456789»',
  'npm ERR! «npm_0123456789abcdefghijABCDEFGHIJ012345»',
  'Incorrect API key provided: «sk-proj-abcdef0123456789»',
  '«sk-abcdefghijklmnopqrstuvwx»',
  'stripe «sk_live_0123456789abcdef»',
  'slack «xoxb-123456789012-abcdef»',
  'google «AIzaSyA0123456789abcdefghijklmnopqrstuvw»',
  'hf «hf_abcdefghijklmnopqrstuvwx»',
  '«SG.abcdefghijklmnopqrst.uvwxyz0123456789abcd»',
  '«-----BEGIN RSA PRIVATE KEY-----\nMIIEow\n-----END RSA PRIVATE KEY-----»\nrest',
  '«-----BEGIN PRIVATE KEY-----\nMIIEow»',
]

const HARMLESS = [
  'HTTP 503 from https://source.example/a/b?page=2',
  'token_count=1532 exceeded',
  'Unexpected token } in JSON at position 17',
  'ENOENT: no such file, open /data/secrets-of-nature.pdf',
  'at fetch (file:///app/password-reset.ts:12:5)',
  'secretary of state',
  'token wb_0123456789ab was revoked',
  'no file wb_0123456789ab_page-1.png',
  'cannot read properties of undefined (reading "id")',
]

describe('secrets in text', () => {
  it.each(QUOTED)('%s', (quoted) => {
    const secret = /«([\s\S]*)»/.exec(quoted)?.[1] ?? ''
    const clean = redactText(quoted.replaceAll(/[«»]/g, ''))
    expect(clean).not.toContain(secret)
    expect(clean).toContain('[redacted]')
    // The rest is still there, so that it can be understood.
    const [before = '', after = ''] = quoted.split(/«[\s\S]*»/)
    expect(clean.startsWith(before.split(/[ =:"']/)[0] ?? '')).toBe(true)
    expect(clean.endsWith(after.slice(-6))).toBe(true)
  })

  it.each(HARMLESS)('leaves alone: %s', (text) => {
    expect(redactText(text)).toBe(text)
  })

  it('leaves alone what it has redacted', () => {
    for (const quoted of QUOTED) {
      const once = redactText(quoted.replaceAll(/[«»]/g, ''))
      expect(redactText(once)).toBe(once)
    }
  })

  it('takes no long for any text', () => {
    const nasty = [
      'a-',
      'password',
      'eyJaaaaa.',
      'https://',
      'token= ',
      '"',
      '-----BEGIN PRIVATE KEY-----',
      'x'.repeat(50),
    ]
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...nasty), { minLength: 1, maxLength: 6 }), (parts) => {
        const text = parts.join('').repeat(Math.ceil(32_768 / parts.join('').length))
        const before = performance.now()
        redactText(text)
        expect(performance.now() - before).toBeLessThan(2000)
      }),
      { numRuns: 30 },
    )
  })
})

describe('secrets in a value', () => {
  it('go by their name and by their form, at any depth', () => {
    const value = {
      list: ['Bearer abcdefghij', { Authorization: 'x', password: 'y', n: 1 }],
      token_count: '7',
      no: null,
    }
    expect(redactJson(value, redactText)).toEqual({
      list: ['Bearer [redacted]', { Authorization: '[redacted]', password: '[redacted]', n: 1 }],
      token_count: '7',
      no: null,
    })
  })
})
