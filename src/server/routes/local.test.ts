import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openLedger } from '../../open-ledger.ts'
import type { LiveLedger } from '../../runtime/live-ledger.ts'
import { type HttpServer, serve } from '../serve.ts'

let ledger: LiveLedger
let server: HttpServer

beforeAll(async () => {
  ledger = await openLedger('memory:')
  server = await serve(ledger)
})

afterAll(async () => {
  await server.close()
  await ledger.close()
})

async function post(path: string, body: object, token = server.localSecret) {
  const response = await fetch(`${server.url}/v1/admin/${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  return { status: response.status, body: (await response.json()) as { readonly [field: string]: unknown } }
}

const PROTOCOL = {
  protocol_id: 'own.v1',
  request_type: 'OWN',
  steps: [{ step_id: 'a', step_type: 'A', service: 'a', delivery: 'pull' }],
}

const TOOL_JOB = {
  job_id: 'tool-1',
  workstream_id: 'ws-1',
  tool: 'command',
  command: { exe: 'true', args: [] },
  env: {},
  paths: {
    repo_root: import.meta.dirname,
    working_dir: '.',
    log_file: 'logs/out.log',
    error_report: 'logs/error.json',
  },
}

const COMMAND = { protocol: PROTOCOL, request: { job_id: 'j1', payload: { n: 1 } } }

describe('a request with its protocol', () => {
  it('is accepted for whoever is named, once, and the protocol counts for nothing else', async () => {
    const path = 'commands?tenant_id=acme&actor=carol&reason=because'
    const first = await post(path, COMMAND)
    expect(first).toEqual({ status: 202, body: { jobId: 'j1', duplicate: false, differing: [] } })
    expect(await post(path, COMMAND)).toMatchObject({ status: 202, body: { duplicate: true } })
    expect(await ledger.jobs.get('j1', 'acme')).toMatchObject({ request_type: 'OWN', protocol_id: 'own.v1' })
    const [record] = (await ledger.audit.query({ job_id: 'j1', tenant_id: 'acme' })).items
    expect(record).toMatchObject({ actor: 'carol', reason: 'because' })
    expect(ledger.jobs.protocols).toEqual([])
  })

  it('is refused when the protocol makes no sense', async () => {
    const told = await post('commands', { ...COMMAND, protocol: { ...PROTOCOL, steps: [] } })
    expect(told).toMatchObject({ status: 422, body: { code: 'INVALID_INPUT', field: 'steps' } })
  })
})

describe('a tool job', () => {
  it('waits in the queue of its tool, in the name of whoever asked', async () => {
    const told = await post('tool-jobs?tenant_id=acme&actor=carol', { job: TOOL_JOB, priority: 'high' })
    expect(told).toEqual({
      status: 202,
      body: { jobId: 'tool-1', tenant_id: 'acme', duplicate: false, differing: [] },
    })
    expect(await ledger.jobs.get('tool-1', 'acme')).toMatchObject({ ready: { queue: 'tool:command' } })
    const [record] = (await ledger.audit.query({ job_id: 'tool-1', tenant_id: 'acme' })).items
    expect(record?.actor).toBe('carol')
  })

  it('says by its whole path where it works: where the server was started is none of its business', async () => {
    const job = { ...TOOL_JOB, paths: { ...TOOL_JOB.paths, repo_root: '.' } }
    expect(await post('tool-jobs', { job })).toMatchObject({
      status: 422,
      body: { field: 'paths.repo_root' },
    })
  })
})

it('a document is moved by a way that is not declared, and the history marks it', async () => {
  const told = await post('documents/d%2F1:force', { state: 'completed' })
  expect(told).toMatchObject({ status: 200, body: { doc_id: 'd/1', state: 'completed' } })
  const [record] = (await ledger.audit.query({ kind: 'document', id: 'd/1' })).items
  expect(record?.metadata).toMatchObject({ validated: false })
})

it.each(['commands', 'tool-jobs', 'documents/d:force'])(
  '%s is for admins of all tenants only',
  async (path) => {
    const tokens = await Promise.all([
      ledger.tokens.mint({ name: 'op', role: 'operator', tenants: ['*'] }),
      ledger.tokens.mint({ name: 'adm', role: 'admin', tenants: ['acme'] }),
    ])
    for (const { token } of tokens) {
      expect(await post(`${path}?tenant_id=acme`, {}, token)).toMatchObject({
        status: 403,
        body: { code: 'FORBIDDEN' },
      })
    }
  },
)
