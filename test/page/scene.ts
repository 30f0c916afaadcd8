// Some of everything, so that every screen has something to show: jobs in every state, one at a gate, one that is tried
// again, documents that are stuck, workstreams in every lane, a tool that printed in colours, a queue that is paused.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { JobStateStore, Orchestrator, pipeline } from '../../src/index.ts'
import type { Work } from '../../src/ledger/claim.ts'
import type { LiveLedger } from '../../src/runtime/live-ledger.ts'

export const TENANT = 'acme'
export const OTHER = 'globex'
/** Whose the jobs are that tools do: they name nobody. */
export const TOOLS_TENANT = 'default'

export const pdf = pipeline('pdf', 'v1')
  .gate('approved', { when: { field: 'metadata.approved_by', exists: true }, timeout: '1h' })
  .stage('download', { attempts: 3, document: { enters: 'fetching', leaves: 'fetched' } }, () => null)
  .stage(
    'parse',
    {
      attempts: 3,
      // Long enough that what waits for it still does when it is looked at.
      backoff: { kind: 'list', delays: ['1h'] },
      document: { enters: 'parsing', leaves: 'parsed' },
    },
    () => null,
  )
  .stage('embed', { gate: 'approved' }, () => null)

const OCR = {
  protocol_id: 'ocr.v1',
  request_type: 'OCR',
  steps: [{ step_id: 'ocr', step_type: 'OCR', service: 'ocr', delivery: 'push' }],
} as const

export interface Scene {
  readonly tenant: string
  /** The jobs, by what they are like. */
  readonly done: string
  readonly gated: string
  readonly failed: string
  readonly running: string
  readonly queued: string
  readonly retrying: string
  readonly cancelled: string
  readonly dependant: string
  readonly pushed: string
  readonly tool: string
}

/** An attempt, as whoever holds it reports on it. */
export function attemptOf({ job, step }: Pick<Work, 'job' | 'step'>) {
  const { tenant_id, job_id } = job
  const { step_id, attempt_no, lease_id } = step
  return { tenant_id, job_id, step_id, attempt_no, lease_id: lease_id as string }
}

/** Submits one and has it claimed and done up to a stage. */
async function brought(ledger: LiveLedger, job_id: string, through: readonly string[], more: object = {}) {
  await ledger.jobs.submit(pdf, {
    tenant_id: TENANT,
    job_id,
    doc_id: `doc:${job_id}`,
    payload: { url: `https://example.com/${job_id}.pdf`, secret_free: true },
    ...more,
  })
  for (const stage of through) await succeed(await claim(ledger, stage))

  async function succeed(work: Work): Promise<void> {
    await ledger.jobs.result(attemptOf(work), { status: 'SUCCEEDED', output: { pages: 3 } })
  }
}

async function claim(ledger: LiveLedger, stage: string): Promise<Work> {
  const [work] = await ledger.jobs.claim({
    queues: [`pdf/${stage}`],
    tenants: [TENANT],
    worker: `w-${stage}`,
  })
  if (work === undefined) throw new Error(`nothing to claim for ${stage}`)
  return work
}

async function fail(ledger: LiveLedger, stage: string, failure_class: 'RETRYABLE' | 'NON_RETRYABLE') {
  const error = { code: 'BROKEN_PDF', message: 'There is no page tree' }
  await ledger.jobs.result(attemptOf(await claim(ledger, stage)), { status: 'FAILED', failure_class, error })
}

export async function setTheScene(ledger: LiveLedger, folder: string): Promise<Scene> {
  ledger.jobs.register(OCR)
  const group = { run_id: 'run-1' }
  await brought(ledger, 'ingest-done', ['download', 'parse'], { ...group, workstream_id: 'ws-done' })
  await ledger.jobs.annotate('ingest-done', { approved_by: 'ada' }, { tenant_id: TENANT })
  await ledger.jobs.result(attemptOf(await claim(ledger, 'embed')), { status: 'SUCCEEDED', output: 42 })
  await brought(ledger, 'ingest-gated', ['download', 'parse'], { ...group, workstream_id: 'ws-running' })
  await brought(ledger, 'ingest-failed', ['download'], { ...group, workstream_id: 'ws-failed' })
  await fail(ledger, 'parse', 'NON_RETRYABLE')
  await brought(ledger, 'ingest-running', ['download'])
  await claim(ledger, 'parse')
  await brought(ledger, 'ingest-retrying', ['download'], { ...group, workstream_id: 'ws-fixing' })
  await fail(ledger, 'parse', 'RETRYABLE')
  await brought(ledger, 'ingest-cancelled', [])
  await ledger.jobs.cancel('ingest-cancelled', { tenant_id: TENANT, actor: 'maria', reason: 'wrong scan' })
  await brought(ledger, 'ingest-queued', [])
  await brought(ledger, 'digest', [], { depends_on: ['ingest-queued'] })
  await ledger.jobs.submit({
    tenant_id: TENANT,
    job_id: 'ocr-pushed',
    request_type: 'OCR',
    input_ref: 's3://in/1',
    output_ref: 's3://out/1',
    payload: { language_hint: 'de' },
    schema_version: 'v1',
  })
  await groups(ledger)
  await documents(ledger)
  await steering(ledger)
  return {
    tenant: TENANT,
    done: 'ingest-done',
    gated: 'ingest-gated',
    failed: 'ingest-failed',
    running: 'ingest-running',
    queued: 'ingest-queued',
    retrying: 'ingest-retrying',
    cancelled: 'ingest-cancelled',
    dependant: 'digest',
    pushed: 'ocr-pushed',
    tool: await runTool(ledger, folder),
  }
}

/** A workstream in each lane; those with jobs go where their jobs are. */
async function groups(ledger: LiveLedger): Promise<void> {
  const by = { tenant_id: TENANT, actor: 'maria' }
  await ledger.workstreams.create({ workstream_id: 'ws-waiting', run_id: 'run-1' }, by)
  await ledger.workstreams.update('ws-waiting', 'ready', by)
  for (const id of ['ws-done', 'ws-running', 'ws-failed', 'ws-fixing']) {
    if (id === 'ws-done' || id === 'ws-failed') await ledger.workstreams.seal(id, by)
    await ledger.workstreams.follow(id, TENANT)
  }
  for (const [run_id, end] of [
    ['run-good', 'succeeded'],
    ['run-bad', 'failed'],
  ] as const) {
    await ledger.runs.create({ run_id, metadata: { of: 'last night' } }, by)
    await ledger.runs.update(run_id, 'running', by)
    await ledger.runs.update(run_id, end, by)
  }
}

/** Some that went through, one that failed, one that is stuck: others took no time where it is. */
async function documents(ledger: LiveLedger): Promise<void> {
  const by = { tenant_id: TENANT, adapter: 'arxiv', actor: 'fetcher' }
  for (let i = 0; i < 3; i++) {
    for (const state of ['fetching', 'fetched', 'parsing', 'parsed', 'validating', 'validated'] as const) {
      await ledger.documents.updateState(`paper:${i}`, state, by)
    }
  }
  await ledger.documents.updateState('paper:bad', 'fetching', by)
  await ledger.documents.updateState('paper:bad', 'failed', {
    ...by,
    error: new Error('404 from the source'),
  })
  await ledger.documents.updateState('paper:stuck', 'fetching', by)
  await ledger.documents
    .updateState('paper:stuck', 'ir_ready' as never, by)
    .catch(() => undefined /* Refused, and recorded. */)
  await ledger.documents.updateState('elsewhere', 'fetching', { tenant_id: OTHER })
}

async function steering(ledger: LiveLedger): Promise<void> {
  await ledger.queues.pause('pdf/embed', { actor: 'maria', reason: 'the GPU is being repaired' })
  await ledger.queues.limit('pdf/parse', { concurrency: 2 }, { actor: 'maria' })
  await ledger.schedules.put(
    {
      schedule_id: 'nightly',
      cron: '0 3 * * *',
      request: {
        request_type: 'OCR',
        input_ref: 'all',
        output_ref: 'index',
        payload: {},
        schema_version: 'v1',
      },
    },
    { tenant_id: TENANT, actor: 'maria' },
  )
}

const PRINTS = [
  "process.stdout.write('\\x1b[32mPASS\\x1b[0m parser.test.ts\\n')",
  "process.stdout.write('\\x1b[31mFAIL\\x1b[0m <script>alert(1)</script>\\n')",
  "process.stdout.write('plain line\\n')",
].join(';')

/** A real program, with a real log in colours. */
async function runTool(ledger: LiveLedger, folder: string): Promise<string> {
  const root = join(folder, 'repo')
  mkdirSync(root)
  const orchestrator = new Orchestrator({ store: new JobStateStore(ledger), base: root })
  const job_id = 'tool-tests'
  await orchestrator.runJob({
    job_id,
    run_id: 'run-1',
    workstream_id: 'ws-tools',
    tool: 'command',
    command: { exe: process.execPath, args: ['-e', PRINTS] },
    env: {},
    paths: { repo_root: root, working_dir: '.', log_file: 'tests.log', error_report: 'tests.error.json' },
  })
  return job_id
}
