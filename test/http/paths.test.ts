// Paths that are meant to lead out of where they begin. No path is ever made of what somebody sent, and this shows it.
import { readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { queueOfTool } from '../../src/core/job/tool-service.ts'
import { quickFolder } from '../fixtures/quick-folder.ts'
import { envelope, type HttpLedger, httpLedger, OURS } from './http-ledger.ts'
import { type Possessions, populate } from './populate.ts'
import { lines } from './raw-socket.ts'

let http: HttpLedger
let own: Possessions

beforeAll(async () => {
  http = await httpLedger({ settings: { tenant_id: OURS, inFlightLimit: 1000 } })
  own = await populate(http.ledger, OURS)
})
afterAll(() => http[Symbol.asyncDispose]())

const UPS = [
  '../',
  '..\\',
  '..%2f',
  '..%2F',
  '%2e%2e/',
  '%2e%2e%2f',
  '%2E%2E%5C',
  '..%5c',
  '..%252f',
  '%252e%252e%252f',
  '%252e%252e/',
  '..%c0%af',
  '..%c1%9c',
  '%c0%ae%c0%ae%c0%af',
  '%e0%80%ae%e0%80%ae%e0%80%af',
  '%f0%80%80%ae%f0%80%80%ae/',
  '..%ef%bc%8f',
  '%uff0e%uff0e%u2215',
  '..;/',
  '..;a=b/',
  '..%00/',
  '..%0d%0a/',
  '..%09/',
  '.../',
  '....//',
  '....\\\\',
  './../',
  '.%2f..%2f',
  '/../',
  '//..//',
  '..//',
  '/./../',
  '..?/',
  '..%3f/',
  '..%23/',
  '~/',
  '..%20/',
  '.. /',
]

const FILES = [
  'etc/passwd',
  'etc/passwd%00.js',
  'package.json',
  'serve.ts',
  'server/serve.ts',
  '.git/config',
  'proc/self/environ',
  'windows/win.ini',
]

const ABSOLUTE = [
  '/etc/passwd',
  '//etc/passwd',
  '/%2fetc%2fpasswd',
  '/%5cetc%5cpasswd',
  '/file:///etc/passwd',
  '/file:%2f%2f%2fetc%2fpasswd',
  '/C:/windows/win.ini',
  '/C:%5Cwindows%5Cwin.ini',
  '/c|/windows/win.ini',
  '/%5c%5clocalhost%5cc$%5cwindows',
  '/con',
  '/nul.js',
  '/aux.css',
  '/icon.svg::$DATA',
  '/icon.svg:Zone.Identifier',
  '/icon.svg.',
  '/icon.svg%20',
  '/icon.svg%00',
  '/icon.svg%00.html',
  '/icon.svg/',
  '/icon.svg/.',
  '/icon.svg/..',
  '/icon.svg;a=b',
  '/icon.svg~',
  '/icon.svg.bak',
  '/icon.svg.map',
  '/PAGE.JS',
  '/Page.js',
  '/page%2ejs',
  '/page/icon.svg',
  '/./icon.svg',
  '//icon.svg',
  '/.//icon.svg',
  '/\\icon.svg',
  '/index',
  '/index.html',
  '/login.html',
  '/.env',
  '/.git/HEAD',
  '/.npmrc',
  '/.htaccess',
  '/server-status',
  '/__proto__',
  '/constructor',
  '/toString',
  '/hasOwnProperty',
  '/src/server/serve.ts',
  '/node_modules/fastify/package.json',
  '/@fs/etc/passwd',
  '/v1/',
  '/v1',
  '/v1/..',
  '/v1/../icon.svg',
  '/v1/%2e%2e/icon.svg',
  '/%2e/icon.svg',
]

const PAYLOADS: readonly string[] = [
  ...ABSOLUTE,
  ...UPS.flatMap((up) =>
    FILES.flatMap((file) => [`/${up.repeat(3)}${file}`, `/page/${up.repeat(8)}${file}`]),
  ),
  ...UPS.map((up) => `/v1/jobs/${up.repeat(6)}etc/passwd`),
]

it('there are hundreds of them', () => {
  expect(new Set(PAYLOADS).size).toBeGreaterThanOrEqual(500)
})

/** Nothing of a file, whatever it is, but a problem. */
function checkNothing(status: number | null, type: string | undefined, body: string): void {
  expect([400, 404, 422]).toContain(status)
  expect(type).toMatch(/^application\/problem\+json/)
  expect(/root:|"dependencies"|import type|\[core\]|PATH=|\[fonts\]|<!doctype/i.test(body)).toBe(false)
}

it('none of them leads anywhere from the page', async () => {
  for (const path of PAYLOADS.filter((one) => !/[\s\0]/.test(one))) {
    const { status, headers, text } = await http.as('admin', 'GET', path)
    checkNothing(status, headers['content-type'], text)
  }
})

it('nor as the bytes that no client would send', async () => {
  const odd = [
    ...PAYLOADS.filter((one) => /\s/.test(one)),
    '/..\0/etc/passwd',
    '/\u00ff',
    '/icon.svg\0',
    'icon.svg',
    '',
  ]
  for (const path of odd) {
    const { status, body } = await http.raw(
      lines(`GET ${path} HTTP/1.1`, 'Host: localhost', 'Connection: close'),
    )
    expect([400, 404, 421]).toContain(status)
    expect(body.includes('root:')).toBe(false)
  }
})

it('nor as an id of a record', async () => {
  const ids = UPS.map((up) => `${up.repeat(4)}etc/passwd`).map(encodeURIComponent)
  for (const id of ids) {
    for (const path of [
      `/v1/jobs/${id}`,
      `/v1/jobs/${id}/steps`,
      `/v1/documents/${id}/history`,
      `/v1/jobs/${id}/logs`,
    ]) {
      const { status, headers, text } = await http.as('viewer', 'GET', path)
      checkNothing(status, headers['content-type'], text)
    }
  }
})

it('nor as the log of a job that somebody may describe as he likes', async () => {
  const [inside, outside] = [quickFolder('waybill-repo-'), quickFolder('waybill-outside-')]
  try {
    writeFileSync(join(outside, 'secret.txt'), 'root:x:0:0: outside')
    writeFileSync(join(inside, 'package.json'), '{"dependencies":{}}')
    symlinkSync(join(outside, 'secret.txt'), join(inside, 'link.log'))
    symlinkSync(outside, join(inside, 'linked'))
    http.ledger.jobs.register({
      protocol_id: 'log-paths.v1',
      request_type: 'LOG_PATHS',
      steps: [{ step_id: 'run', step_type: 'TOOL', service: queueOfTool('tests'), delivery: 'pull' }],
    })
    const files = [
      ...UPS.map((up) => `${up.repeat(8)}etc/passwd`),
      ...UPS.map((up) => decoded(`${up.repeat(8)}etc/passwd`)),
      ...[
        '/etc/passwd',
        'package.json',
        'link.log',
        'linked/secret.txt',
        `${outside}/secret.txt`,
        '/dev/stdin',
        '/proc/self/environ',
        '.',
        '',
      ],
    ]
    const names = [...new Set(files)].map((log_file, i) => ({
      log_file,
      repo_root: i % 5 === 0 ? '/' : inside,
      job_id: `log-${i}`,
    }))
    for (const { log_file, repo_root, job_id } of names) {
      const paths = { repo_root, working_dir: '.', log_file, error_report: 'e.json' }
      const payload = {
        workstream_id: 'ws',
        tool: 'tests',
        command: { exe: 'true', args: [] },
        env: {},
        paths,
      }
      await http.ledger.jobs.submit(envelope({ request_type: 'LOG_PATHS', job_id, payload }) as never)
    }
    const claim = () => http.ledger.jobs.claim({ queues: [queueOfTool('tests')], limit: 1000 })
    const works = [...(await claim()), ...(await claim())]
    expect(works).toHaveLength(names.length)
    for (const { job_id } of names) {
      const { status, headers, text } = await http.as('viewer', 'GET', `/v1/jobs/${job_id}/logs`)
      checkNothing(status, headers['content-type'], text)
    }
  } finally {
    for (const folder of [inside, outside]) rmSync(folder, { recursive: true, force: true })
  }
})

/** As it is when nothing has to be escaped; half a character and the like stay as they are. */
function decoded(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}

it('the files of the page are there, each under its own name and no other', async () => {
  const folder = new URL('../../dist/page/', import.meta.url)
  const assets = readdirSync(new URL('assets/', folder)).map((name) => `assets/${name}`)
  for (const name of ['index.html', 'icon.svg', ...assets]) {
    const path = name === 'index.html' ? '/' : `/${name}`
    const { status, text, headers } = await http.ask('GET', path)
    expect(status).toBe(200)
    expect(text).toBe(readFileSync(new URL(name, folder), 'utf8'))
    expect(headers['content-security-policy']).toContain("default-src 'none'")
    expect(headers['x-content-type-options']).toBe('nosniff')
    // What has its content in its name need never be asked for again.
    expect(headers['cache-control']).toContain(name.startsWith('assets/') ? 'immutable' : 'no-cache')
    const again = await http.ask('GET', path, { headers: { 'if-none-match': headers.etag as string } })
    expect([again.status, again.text]).toEqual([304, ''])
    const head = await http.ask('HEAD', path)
    expect([head.status, head.text]).toEqual([200, ''])
    expect((await http.ask('POST', path, { body: {} })).status).toBe(404)
  }
  expect(own.tenant_id).toBe(OURS)
})

it('a browser that goes to a screen gets the page, and nobody else does, nor anywhere else', async () => {
  const accept = 'text/html,application/xhtml+xml,*/*;q=0.8'
  const { text: index } = await http.ask('GET', '/')
  for (const path of ['/jobs', '/jobs/acme/a%2Fb', '/radar?by=workstream', '/nowhere']) {
    const { status, text, headers } = await http.ask('GET', path, { headers: { accept } })
    expect([status, text]).toEqual([200, index])
    expect(headers['content-security-policy']).toContain("default-src 'none'")
    expect((await http.ask('GET', path)).status).toBe(404)
  }
  for (const path of ['/v1', '/v1/nowhere', '/assets/nowhere.js', '/assets', '/assets/..%2findex.html']) {
    const { status, text } = await http.ask('GET', path, { headers: { accept } })
    expect(status).toBe(404)
    expect(text).not.toContain('<!doctype')
  }
})
