// The examples as people meet them: each in a process of its own; then their ledgers, opened again.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { JobStateStore, type Ledger, LedgerStateManager, openLedger } from 'waybill'
import { environment } from './environment.ts'
import { ROOT } from './scratch.ts'

/** Some wait for timeouts of several seconds, and everything else runs at the same time. */
const TIMEOUT_MS = 60_000

let home: string

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'waybill-examples-'))
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

/** What it prints. It has to end well, say nothing on the error stream, and leave nothing but its ledger. */
async function run(example: string, ...args: readonly string[]): Promise<string> {
  const file = join(ROOT, 'examples', example, 'main.ts')
  const child = spawn(process.execPath, ['--conditions=waybill-source', file, ...args], {
    cwd: home,
    env: environment({ LEDGER: join(home, 'ledger'), TMPDIR: home }),
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: TIMEOUT_MS,
    killSignal: 'SIGKILL',
  })
  const [stdout, stderr, [status]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit'),
  ])
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  expect(readdirSync(home)).toEqual(['ledger'])
  return stdout
}

function reopened(): Promise<Ledger> {
  return openLedger(join(home, 'ledger'), { journal: { readOnly: true } })
}

/** Lines from the one that begins so to the next empty one. */
function part(printed: string, beginning: string): readonly string[] {
  const lines = printed.split('\n')
  const from = lines.findIndex((line) => line.startsWith(beginning))
  const rest = lines.slice(from + 1)
  return rest.slice(0, rest.indexOf('')).map((line) => line.trim().replace(/ +/g, ' '))
}

describe('examples/pdf-two-phase', { timeout: TIMEOUT_MS }, () => {
  const keysOf = (...stages: readonly string[]) =>
    stages.flatMap((stage) =>
      ['attempts', 'completed_at', 'duration_ms', 'output_count'].map((key) => `stage.${stage}.${key}`),
    )

  it('A54 A50: parks at the gate without a worker, goes on when documents do, and times out', async () => {
    const printed = await run('pdf-two-phase')
    const parked = ['annual-report', 'handbook', 'minutes', 'scan-of-a-napkin'].map(
      (name) => `ingest-${name} waits for: gate; document: parsed`,
    )
    expect(part(printed, 'PHASE ONE')).toEqual([
      ...parked,
      'steps that a worker holds: 0',
      'It stands at gate pdf_ir_ready before chunk, until document.state equals "ir_ready" or metadata.pdf_ir_ready equals true',
    ])
    expect(part(printed, 'PHASE TWO')).toEqual([
      'ingest-annual-report {"vectors":2}',
      'ingest-handbook {"vectors":4}',
      'ingest-minutes {"vectors":6}',
      'ingest-scan-of-a-napkin "GATE_TIMEOUT"',
    ])
    expect(printed).toContain('ingest-minutes: completed at index, document completed\n')
    expect(printed).toMatch(/ {2}stage\.parse +\.attempts 2 {2}\.output_count 3 {2}\.duration_ms \d+ {2}\./)
    expect(printed).toContain('ingest-scan-of-a-napkin: failed at chunk, document parsed\n  timeout: gate ')

    await using ledger = await reopened()
    const manager = new LedgerStateManager(ledger)
    const minutes = await manager.fetchEntry('ingest-minutes')
    expect(minutes).toMatchObject({
      pipeline_name: 'pdf-two-phase',
      status: 'completed',
      retry_count_per_stage: { parse: 1 },
      metadata: { pipeline_version: 'v2', context: { asked_by: 'the example' }, 'stage.parse.attempts': 2 },
    })
    const stageKeys = (metadata = {}) => Object.keys(metadata).filter((key) => key.startsWith('stage.'))
    expect(stageKeys(minutes?.metadata).sort()).toEqual(
      keysOf('download', 'parse', 'chunk', 'embed', 'index').sort(),
    )
    const napkin = await manager.fetchEntry('ingest-scan-of-a-napkin')
    expect(napkin).toMatchObject({ status: 'failed', stage: 'chunk' })
    expect(napkin?.error_reason).toMatch(/^timeout: gate pdf_ir_ready did not open by /)
    expect(stageKeys(napkin?.metadata).sort()).toEqual(keysOf('download', 'parse').sort())
    expect((await ledger.counts('document')).completed).toBe(3)
  })
})

const python = spawnSync('python3', ['-c', 'print("ready")'], { encoding: 'utf8' }).stdout?.includes('ready')

describe.each(['node', 'python'])('examples/ocr-service with %s', { timeout: TIMEOUT_MS }, (language) => {
  it('A15 A21: a service that was killed is tried again, and nobody speaks for it without the secret', async (context) => {
    if (language === 'python' && !python) return context.skip('python3 is not installed')
    const printed = await run('ocr-service', language)
    expect(printed.split('\n')).toEqual([
      'the service is up',
      'the service has begun, and is killed',
      'somebody reports a result without a signature: 401 BAD_SIGNATURE',
      'another service is up; it knows nothing of the first',
      "the job came to { stored: { uri: 's3://scans/letter.pdf', pages: 1000 } }",
      ...['DISPATCHING', 'AWAITING_ACK', 'IN_PROGRESS', 'FAILED_RETRY TIMEOUT'].map(
        (state) => `  OCR, attempt 1: ${state}`,
      ),
      ...['DISPATCHING', 'AWAITING_ACK', 'IN_PROGRESS', 'SUCCEEDED'].map(
        (state) => `  OCR, attempt 2: ${state}`,
      ),
      '',
    ])
    await using ledger = await reopened()
    const steps = (await ledger.jobs.show('read-letter'))?.steps ?? []
    expect(steps.map(({ step_id, state, attempt_no }) => [step_id, state, attempt_no])).toEqual([
      ['fetch', 'SUCCEEDED', 1],
      ['OCR', 'SUCCEEDED', 2],
      ['store', 'SUCCEEDED', 1],
    ])
    expect(steps[1]).toMatchObject({ delivery: 'push', output: { pages: 1000 } })
  })
})

describe('examples/coding-backlog', { timeout: TIMEOUT_MS }, () => {
  it('A69 A65: edits, tests and commits; one goes on to another tool, one to a person', async () => {
    const printed = await run('coding-backlog')
    expect(part(printed, 'SLUGS')).toEqual([
      'slug-edit aider completed exit codes 0',
      'slug-tests tests completed exit codes 0',
      'slug-commit git completed exit codes 0',
    ])
    expect(part(printed, 'TOTALS')).toEqual([
      'total-edit aider failed exit codes 1, 1',
      'It ended with exit code 1; total-edit~2 took over',
      'total-edit~2 codex completed exit codes 0',
      'total-tests tests completed exit codes 0',
      'total-commit git completed exit codes 0',
    ])
    expect(part(printed, 'DATES').slice(-3)).toEqual([
      'dates-edit~3 human queued',
      'dates-tests tests queued',
      'dates-commit git queued',
    ])
    expect(part(printed, 'RUN')).toEqual(['dates running', 'slug succeeded', 'total succeeded'])
    expect(part(printed, 'COMMITS')).toContain('Waybill-Job: total-commit')
    expect(part(printed, 'WHO LAST CHANGED src/total.js')).toEqual([
      'total-edit~2, by codex; committed by total-commit',
      'tests passed: {"framework":"node:test","unit":"test","passed":1,"failed":0,"skipped":0,"total":1}',
    ])
    expect(printed).toMatch(/WHO LAST CHANGED src\/dates.js\?\n {2}no job did\n$/)

    await using ledger = await reopened()
    const store = new JobStateStore(ledger)
    expect(await store.getRun('backlog-1')).toMatchObject({ status: 'running', sealed: true })
    expect(await store.getJob('total-edit~2')).toMatchObject({
      tool: 'codex',
      priority: 'high',
      escalated_from: 'total-edit',
      original_job_id: 'total-edit',
      metadata: {
        touched_files: ['src/total.js'],
        escalation_reason: 'EXIT_CODE: It ended with exit code 1',
      },
    })
    expect(await store.getJob('total-edit')).toMatchObject({
      attempts: [{ status: 'failed' }, { status: 'failed' }],
    })
    expect(await store.getJob('dates-edit~3')).toMatchObject({
      tool: 'human',
      status: 'queued',
      attempts: [],
    })
    expect(await store.lastChange('src/slug.js')).toMatchObject({
      job: { job_id: 'slug-edit', tool: 'aider' },
      committed_by: { job_id: 'slug-commit' },
      tests: { passed: true, job: { job_id: 'slug-tests' } },
    })
  })
})
