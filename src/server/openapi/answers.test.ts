// What a server really answers, against the schemas that the document is made of. They are strict: a field that the document
// does not name fails here, and so does a route that nobody asks.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Registry } from 'prom-client'
import { expect, it } from 'vitest'
import type { Protocol } from '../../core/job/protocol.ts'
import { Orchestrator } from '../../default-orchestrator.ts'
import { openLedger } from '../../open-ledger.ts'
import { JobStateStore } from '../../orchestrator/job-state-store.ts'
import type { LiveLedger } from '../../runtime/live-ledger.ts'
import type { Route } from '../route.ts'
import { ROUTES } from '../routes/all.ts'
import { serve } from '../serve.ts'
import { problemSchema } from './problem-schema.ts'

const pull = { step_type: 'X', delivery: 'pull' } as const

const PROTOCOLS: readonly Protocol[] = [
  {
    protocol_id: 'pulled',
    request_type: 'PULLED',
    steps: [
      {
        ...pull,
        step_id: 'a',
        service: 'first',
        limits: [{ key: 'all', max: 5, per_ms: 1000 }],
        policy: { lease_ms: 60_000, backoff: { kind: 'linear', baseMs: 1, capMs: 10, jitter: 0.5 } },
        breaker: { failures: 3, recovery_ms: 1000 },
      },
      {
        ...pull,
        step_id: 'b',
        service: 'second',
        document: { enters: 'fetching' },
        gate: {
          name: 'paid',
          when: { all: [{ any: [{ field: 'metadata.paid', op: 'equals', value: true }] }] },
          timeout_ms: 60_000,
        },
        payload_schema: { type: 'object' },
      },
    ],
  },
  {
    protocol_id: 'pushed',
    request_type: 'PUSHED',
    steps: [{ step_id: 'p', step_type: 'P', service: 'service', delivery: 'push' }],
  },
  {
    protocol_id: 'outside',
    request_type: 'OUTSIDE',
    steps: [{ step_id: 'bootstrap', step_type: 'S', service: 'dagster', delivery: 'external' }],
    pipeline: { name: 'outside', version: '1' },
  },
]

interface Asked {
  readonly params?: { readonly [name: string]: string }
  readonly query?: string
  readonly body?: unknown
  readonly headers?: { readonly [name: string]: string }
  readonly status?: number
}

/** Asks, and looks at the answer as the document has it. */
class CheckedClient {
  readonly asked = new Set<string>()
  readonly #url: string

  constructor(url: string) {
    this.#url = url
  }

  async ask(operation: string, asked: Asked = {}): Promise<Record<string, unknown>> {
    const route = ROUTES.find((one) => one.operation === operation) as Route
    const { params = {}, query = '', body, headers = {}, status = firstStatus(route) } = asked
    const path = route.path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
      encodeURIComponent(params[name] as string),
    )
    const response = await fetch(`${this.#url}${path}${query}`, {
      method: route.method,
      headers: { ...(body === undefined ? null : { 'content-type': 'application/json' }), ...headers },
      ...(body === undefined ? null : { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    expect(response.status, `${operation}: ${text}`).toBe(status)
    const about = status >= 400 ? undefined : route.answers[status]
    const isText = about?.contentType !== undefined
    const answer = isText ? text : JSON.parse(text)
    const schema = about?.schema ?? problemSchema
    expect(schema.safeParse(answer).error?.issues, `${operation}: ${text}`).toBeUndefined()
    if (status < 400) this.asked.add(operation)
    return answer
  }
}

function firstStatus({ answers }: Route): number {
  return Number(Object.keys(answers)[0])
}

function request(request_type: string, more: object = {}) {
  return {
    tenant_id: 'acme',
    request_type,
    input_ref: { uri: 'in', size_bytes: 1, metadata: { a: 1 } },
    output_ref: 'out',
    payload: { n: 1 },
    schema_version: 'v1',
    ...more,
  }
}

/** Records of every kind, in as many states as is easy. */
async function fill(client: CheckedClient): Promise<void> {
  const tenant = '?tenant_id=acme'
  await client.ask('createRun', { query: tenant, body: { run_id: 'run', metadata: { a: 1 } } })
  await client.ask('createWorkstream', { query: tenant, body: { workstream_id: 'stream', run_id: 'run' } })
  await client.ask('limitQueue', { params: { queue: 'first' }, body: { rate: { max: 100, per_ms: 1000 } } })
  await client.ask('pauseQueue', { params: { queue: 'idle' } })
  await client.ask('resumeQueue', { params: { queue: 'idle' } })
  const whole = {
    job_id: 'j1',
    doc_id: 'd/1',
    run_id: 'run',
    workstream_id: 'stream',
    tags: ['t'],
    priority: 'high',
  }
  await client.ask('submitJob', { body: request('PULLED', whole) })
  await client.ask('submitJob', {
    body: request('PULLED', { job_id: 'j2', payload: { n: 2 }, depends_on: ['j1'] }),
  })
  await client.ask('submitJobs', {
    body: { commands: [request('PUSHED', { job_id: 'j3' }), request('OUTSIDE', { job_id: 'j4' })] },
    headers: { 'idempotency-key': 'both' },
  })
  const { work } = await client.ask('claimWork', { body: { queues: ['first'] } })
  const [{ jobId, stepId, attempt_no, lease_id }] = work as [Record<string, unknown>]
  const attempt = { tenant_id: 'acme', jobId, stepId, attempt_no, lease_id }
  await client.ask('reportAck', { body: attempt })
  await client.ask('reportHeartbeat', { body: attempt })
  await client.ask('reportResult', { body: { ...attempt, status: 'SUCCEEDED', output: { pages: 2 } } })
  await client.ask('reportResult', { body: { ...attempt, lease_id: 'x', status: 'SUCCEEDED' }, status: 409 })
  await client.ask('annotateJob', {
    params: { job_id: 'j2' },
    query: tenant,
    body: { metadata: { paid: true } },
  })
  await client.ask('expediteJob', {
    params: { job_id: 'j2' },
    query: tenant,
    body: { ignore: ['dependencies'] },
  })
  await client.ask('cancelJob', { params: { job_id: 'j2' }, query: `${tenant}&reason=test` })
  await client.ask('runAgain', { params: { job_id: 'j2' }, query: tenant, body: { new_job_id: 'j5' } })
  await client.ask('moveDocument', {
    params: { doc_id: 'd/2' },
    query: tenant,
    body: { state: 'fetching' },
  })
  const updates = [
    { doc_id: 'd/3', state: 'fetching' },
    { doc_id: 'd/3', state: 'pending' },
  ]
  await client.ask('moveDocuments', { query: tenant, body: { updates } })
  const cron = { cron: '0 4 * * *', request: request('PULLED', { tenant_id: undefined }) }
  await client.ask('putSchedule', { params: { schedule_id: 's' }, query: tenant, body: cron })
  await client.ask('pauseSchedule', { params: { schedule_id: 's' }, query: tenant })
  await client.ask('resumeSchedule', { params: { schedule_id: 's' }, query: tenant })
}

async function reportStages(client: CheckedClient): Promise<void> {
  const at = { params: { job_id: 'j4' }, query: '?tenant_id=acme' }
  await client.ask('recordJobAttempt', { ...at, body: {} })
  await client.ask('prepareRun', { ...at, body: { pipeline_name: 'outside', pipeline_version: '1' } })
  await client.ask('stageStarted', { ...at, body: { stage: 'load' } })
  await client.ask('recordRetry', { ...at, body: { stage: 'load', error: 'again' } })
  await client.ask('stageSucceeded', { ...at, body: { stage: 'load', output_count: 3 } })
  await client.ask('fetchEntry', at)
  await client.ask('completeRun', { ...at, body: { metadata: { done: true } } })
  await client.ask('submitJob', { body: request('OUTSIDE', { job_id: 'j6', payload: {} }) })
  await client.ask('stageFailed', { ...at, params: { job_id: 'j6' }, body: { stage: 'load', error: 'no' } })
}

async function steerGroups(client: CheckedClient): Promise<void> {
  const run = { params: { run_id: 'run' }, query: '?tenant_id=acme' }
  const stream = { params: { workstream_id: 'stream' }, query: '?tenant_id=acme' }
  for (const [Kind, at] of [['Run', run] as const, ['Workstream', stream] as const]) {
    await client.ask(`get${Kind}`, at)
    await client.ask(`annotate${Kind}`, { ...at, body: { metadata: { b: 2 } } })
    await client.ask(`seal${Kind}`, at)
  }
  await client.ask('createRun', { query: run.query, body: { run_id: 'other' } })
  await client.ask('moveRun', { ...run, params: { run_id: 'other' }, body: { state: 'running' } })
  await client.ask('createWorkstream', { query: run.query, body: { workstream_id: 'other' } })
  await client.ask('moveWorkstream', {
    ...run,
    params: { workstream_id: 'other' },
    body: { state: 'ready' },
  })
  await client.ask('cancelRun', run)
}

const OF_JOB = [
  'getJob',
  'listSteps',
  'listJobEvents',
  'whyJob',
  'listJobActions',
  'listRelatedJobs',
  'listAttempts',
]

/** All that is there, and with it every route that only reads. */
async function readAll(client: CheckedClient): Promise<void> {
  const all = '?tenant_id=*'
  const acme = '?tenant_id=acme'
  for (const kind of ['Jobs', 'Documents', 'Runs', 'Workstreams', 'Audit', 'Durations']) {
    await client.ask(`list${kind}`, { query: all })
  }
  await client.ask('listDurations', { query: `${acme}&by=state` })
  await client.ask('countAudit', { query: `${all}&by=kind,event,error_type` })
  await client.ask('getBoard', { query: all })
  await client.ask('search', { query: `${all}&q=J` })
  await client.ask('listSchedules', { query: acme })
  await client.ask('getSchedule', { params: { schedule_id: 's' }, query: acme })
  for (const job_id of ['j1', 'j2', 'j3', 'j4', 'j5']) {
    const at = { params: { job_id }, query: acme }
    for (const operation of OF_JOB) await client.ask(operation, at)
  }
  await client.ask('getJob', { params: { job_id: 'j1' }, query: '?tenant_id=another', status: 404 })
  await client.ask('getResult', { params: { job_id: 'j4' }, query: acme })
  await client.ask('getResult', { params: { job_id: 'j1' }, query: acme, status: 504 })
  const document = { params: { doc_id: 'd/2' } }
  await client.ask('getDocument', { ...document, query: acme })
  await client.ask('getDocument', { ...document, query: `${acme}&at=2999-01-01T00:00:00Z` })
  await client.ask('listDocumentHistory', { ...document, query: acme })
  await client.ask('listStuck', { query: `${acme}&hours=0` })
  await client.ask('listQueues')
  await client.ask('getQueue', { params: { queue: 'first' } })
  for (const operation of ['listProtocols', 'getStats', 'listMachines', 'getSession', 'getMetrics']) {
    await client.ask(operation)
  }
  for (const operation of ['isAlive', 'isReady', 'getOpenApi']) await client.ask(operation)
}

async function administer(client: CheckedClient): Promise<void> {
  const body = { name: 'ada', role: 'viewer', tenants: ['acme'], expires_in: '1d' }
  const { record } = await client.ask('mintToken', { body })
  const params = { token_id: (record as { token_id: string }).token_id }
  await client.ask('listTokens')
  await client.ask('getToken', { params })
  await client.ask('revokeToken', { params })
  await client.ask('compact')
  await client.ask('checkLedger')
  for (const operation of ['cancelJobs', 'runJobsAgain']) {
    for (const expected of [{}, { expect: 100 }]) {
      await client.ask(operation, { query: '?tenant_id=acme', body: { filter: {}, ...expected } })
    }
  }
  await client.ask('getStats')
  await client.ask('removeSchedule', { params: { schedule_id: 's' }, query: '?tenant_id=acme' })
  await client.ask('makeLink', { body: {} })
  await client.ask('forceDocument', {
    params: { doc_id: 'd/2' },
    query: '?tenant_id=acme',
    body: { state: 'indexed' },
  })
  const { request_type: _, ...rest } = request('X', { job_id: 'own' })
  const protocol = { ...PROTOCOLS[1], protocol_id: 'own', request_type: 'OWN' }
  await client.ask('submitWithProtocol', { body: { protocol, request: rest } })
}

async function readLog(client: CheckedClient, ledger: LiveLedger, folder: string): Promise<void> {
  const store = new JobStateStore(ledger)
  const orchestrator = new Orchestrator({ store })
  const job = {
    job_id: 'tool',
    workstream_id: 'tools',
    tool: 'command',
    command: { exe: 'echo', args: ['hello'] },
    env: {},
    paths: { repo_root: folder, working_dir: '.', log_file: 'tool.log', error_report: 'tool.json' },
  }
  await client.ask('queueToolJob', { body: { job } })
  await orchestrator.runJob(job)
  const { text } = await client.ask('getLog', { params: { job_id: 'tool' } })
  expect(text).toContain('\nhello\n')
  await client.ask('queueToolJob', { body: { job: { ...job, job_id: 'edit' } } })
  const metadata = { touched_files: ['a.ts'], tests: { failed: 0 } }
  await store.updateJobResult(
    { job_id: 'edit' },
    { status: 'completed', exit_code: 0, duration_s: 1, metadata },
  )
}

/** Of everything that was made before, a tool job that touched a file among it. */
async function lookAround(client: CheckedClient): Promise<void> {
  for (const query of ['', '?tenant_id=*', '?tenant_id=acme']) {
    for (const operation of ['getOverview', 'getActivity', 'getRadar', 'listFiles']) {
      await client.ask(operation, { query })
    }
  }
  await client.ask('getRadar', { query: '?tenant_id=*&by=workstream' })
  await client.ask('listTenants')
  await client.ask('getLastChange', { query: '?file=a.ts' })
  await client.ask('getLastChange', { query: '?file=b.ts', status: 404 })
  await client.ask('getLastChange', { status: 422 })
}

it('every answer is what the document says, without a field more', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'waybill-answers-'))
  const metrics = new Registry()
  try {
    await using ledger = await openLedger(join(folder, 'ledger'), { protocols: PROTOCOLS, metrics })
    await using server = await serve(ledger, { auth: false, metrics })
    const client = new CheckedClient(server.url)
    await fill(client)
    await reportStages(client)
    await readAll(client)
    await steerGroups(client)
    await administer(client)
    await client.ask('openSession', { body: { code: server.link().split('#')[1] } })
    await client.ask('closeSession')
    await readLog(client, ledger, folder)
    await lookAround(client)
    const unasked = ROUTES.map(({ operation }) => operation).filter((name) => !client.asked.has(name))
    // Its answer goes on for as long as somebody listens.
    expect(unasked).toEqual(['followEvents'])
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
