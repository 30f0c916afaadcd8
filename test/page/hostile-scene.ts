// A ledger full of texts that want to be more than text, wherever somebody may write one.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { FORBIDDEN_NAMES } from '../../src/core/names.ts'
import { JobStateStore, Orchestrator } from '../../src/index.ts'
import type { LiveLedger } from '../../src/runtime/live-ledger.ts'
import { HOSTILE_TEXTS, PLAIN_PARTS } from './hostile-texts.ts'
import { attemptOf } from './scene.ts'

export const VICTIM = 'victim'
/** A job whose payload and metadata have all of them. */
export const ALL_IN_ONE = 'all-in-one'
export const PRINTER = 'printer'

const PROTOCOL = {
  protocol_id: 'hostile.v1',
  request_type: 'HOSTILE',
  steps: [{ step_id: 'work', step_type: 'WORK', service: 'work', delivery: 'pull' }],
} as const

export interface Accepted {
  readonly jobs: readonly string[]
  readonly documents: readonly string[]
  /** The messages that documents failed with. */
  readonly messages: readonly string[]
  readonly runs: readonly string[]
  readonly workstreams: readonly string[]
  readonly queues: readonly string[]
  readonly tenants: readonly string[]
  readonly names: readonly string[]
  /** Those of them that no id may be, whoever asks. */
  readonly refused: readonly string[]
}

/** One of each kind in every tenth place is enough where all would be too many to look at. */
const FEW = PLAIN_PARTS.filter((_, i) => i % 3 === 0)

export async function setTheTrap(ledger: LiveLedger, folder: string): Promise<Accepted> {
  ledger.jobs.register(PROTOCOL)
  const refused = new Set<string>()
  /** Those that were taken. */
  const taken = async (texts: readonly string[], write: (text: string, i: number) => Promise<unknown>) => {
    const isTaken = await Promise.all(
      texts.map((text, i) =>
        write(text, i).then(
          () => true,
          () => {
            refused.add(text)
            return false
          },
        ),
      ),
    )
    return texts.filter((_, i) => isTaken[i])
  }
  const jobs = await taken(HOSTILE_TEXTS, (text, i) => submit(ledger, text, i))
  const documents = await taken(HOSTILE_TEXTS, (text) => document(ledger, text))
  const by = (actor: string) => ({ tenant_id: VICTIM, actor })
  const groups = FEW.filter((text) => jobs.includes(text))
  const accepted = {
    jobs,
    documents,
    messages: documents,
    runs: await taken(groups, (run_id) =>
      ledger.runs.create({ run_id, metadata: { text: run_id } }, by(run_id)),
    ),
    workstreams: await taken(groups, (workstream_id, i) =>
      ledger.workstreams.create({ workstream_id, run_id: groups[i] as string }, by(workstream_id)),
    ),
    queues: await taken(groups, (queue) => ledger.queues.pause(queue, { actor: queue, reason: queue })),
    tenants: await taken(groups, (tenant_id) =>
      ledger.documents.updateState('theirs', 'fetching', { tenant_id, actor: tenant_id }),
    ),
    names: await taken(groups, (name) => ledger.tokens.mint({ name, role: 'viewer', tenants: [name] })),
  }
  await failAndCancel(ledger, groups)
  await allInOne(ledger)
  await print(ledger, folder)
  return { ...accepted, refused: [...refused] }
}

function submit(ledger: LiveLedger, text: string, i: number): Promise<unknown> {
  const request = {
    tenant_id: VICTIM,
    job_id: text,
    request_type: 'HOSTILE',
    input_ref: text,
    output_ref: text,
    payload: { i, text },
    metadata: { text },
    tags: [text],
    schema_version: 'v1',
  }
  return ledger.jobs.submit(request, { actor: text, reason: text })
}

async function document(ledger: LiveLedger, text: string): Promise<void> {
  const by = { tenant_id: VICTIM, actor: text, adapter: text }
  await ledger.documents.updateState(text, 'fetching', by)
  await ledger.documents.updateState(text, 'failed', { ...by, reason: text, error: new Error(text) })
}

/** Half of these end by an error, half by a decision. */
async function failAndCancel(ledger: LiveLedger, texts: readonly string[]): Promise<void> {
  const half = Math.floor(texts.length / 2)
  for (const text of texts.slice(0, half)) {
    await ledger.jobs.cancel(text, { tenant_id: VICTIM, actor: text, reason: text })
  }
  for (const text of texts.slice(half)) {
    const [work] = await ledger.jobs.claim({ queues: ['work'], tenants: [VICTIM], worker: text })
    if (work === undefined) throw new Error('nothing to claim')
    const error = { code: 'HOSTILE', message: text }
    await ledger.jobs.result(attemptOf(work), { status: 'FAILED', failure_class: 'NON_RETRYABLE', error })
  }
}

export const ALL_PAYLOAD = { texts: HOSTILE_TEXTS }
export const ALL_METADATA = Object.fromEntries(
  HOSTILE_TEXTS.filter((text) => !FORBIDDEN_NAMES.has(text)).map((text) => [text, text]),
)

async function allInOne(ledger: LiveLedger): Promise<void> {
  await ledger.jobs.submit({
    tenant_id: VICTIM,
    job_id: ALL_IN_ONE,
    request_type: 'HOSTILE',
    input_ref: 'in',
    output_ref: 'out',
    payload: ALL_PAYLOAD,
    metadata: ALL_METADATA,
    schema_version: 'v1',
  })
}

/** A line each; what ends a line is left out. */
export const PRINTED: readonly string[] = HOSTILE_TEXTS.map((text) => text.replace(/[\r\n]/g, ' '))

async function print(ledger: LiveLedger, folder: string): Promise<void> {
  const root = join(folder, 'printer')
  mkdirSync(root)
  writeFileSync(join(root, 'texts.txt'), `${PRINTED.join('\n')}\n`)
  const orchestrator = new Orchestrator({ store: new JobStateStore(ledger), base: root })
  const script = "process.stdout.write(require('node:fs').readFileSync('texts.txt'))"
  await orchestrator.runJob({
    job_id: PRINTER,
    run_id: 'printing',
    workstream_id: 'printing',
    tool: 'command',
    command: { exe: process.execPath, args: ['-e', script] },
    env: {},
    paths: { repo_root: root, working_dir: '.', log_file: 'print.log', error_report: 'print.error.json' },
  })
}
