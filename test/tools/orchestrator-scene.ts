import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { Orchestrator } from '../../src/default-orchestrator.ts'
import { openLedger } from '../../src/open-ledger.ts'
import { JobStateStore } from '../../src/orchestrator/job-state-store.ts'
import type { OrchestratorOptions } from '../../src/orchestrator/orchestrator.ts'
import type { JobEvent } from '../../src/orchestrator/state-interface.ts'
import type { ToolJob } from '../../src/orchestrator/tools/tool-job.ts'
import { START } from '../../src/store/store.ts'
import { toolJob } from '../fixtures/tool-jobs.ts'
import { type Repository, repository } from './repository.ts'

export interface Scene {
  readonly repo: Repository
  readonly store: JobStateStore
  readonly orchestrator: Orchestrator
  job(job_id: string, more?: Partial<ToolJob>): ToolJob
  /** A job that runs a line of the shell. */
  shell(job_id: string, line: string, metadata?: ToolJob['metadata']): ToolJob
  /** A program on the PATH of tools. */
  program(name: string, code: string): void
}

/** A repository, and a ledger in memory that knows nothing yet. */
export async function scene(options: Partial<OrchestratorOptions> = {}): Promise<Scene> {
  const repo = repository()
  repo.write('a.txt', 'one\n')
  repo.git('add', '.')
  repo.git('commit', '--quiet', '--message', 'first')
  const bin = join(repo.path, '..', 'bin')
  mkdirSync(bin)
  const ledger = await openLedger('memory:')
  const store = new JobStateStore(ledger)
  const env = { ...repo.environment, PATH: `${bin}:${repo.environment.PATH}` }
  const orchestrator = new Orchestrator({ store, env, base: repo.path, ...options })
  onTestFinished(async () => {
    await ledger.close()
    repo[Symbol.dispose]()
  })
  const job = (job_id: string, more: Partial<ToolJob> = {}) => {
    const paths = {
      repo_root: '.',
      working_dir: '.',
      log_file: `logs/${job_id}.log`,
      error_report: `logs/${job_id}.json`,
    }
    return toolJob({ job_id, paths, ...more })
  }
  return {
    repo,
    store,
    orchestrator,
    job,
    shell: (job_id, line, metadata) =>
      job(job_id, {
        command: { exe: 'sh', args: ['-c', line] },
        ...(metadata === undefined ? null : { metadata }),
      }),
    program: (name, code) => {
      writeFileSync(join(bin, name), `#!${process.execPath}\n${code}`)
      chmodSync(join(bin, name), 0o755)
    },
  }
}

let marks = 0

/** Everything that has happened so far, after a cursor. */
export async function eventsOf(store: JobStateStore, after: string = START): Promise<readonly JobEvent[]> {
  const mark = `mark ${marks++}`
  await store.createRun({ run_id: mark })
  await store.recordEvent('mark', { run_id: mark })
  const events: JobEvent[] = []
  const end = new AbortController()
  for await (const event of store.subscribe({ after, signal: end.signal })) {
    if (event.payload.run_id === mark) end.abort()
    else if (event.event_type !== 'mark') events.push(event)
  }
  return events
}

/** Everything that is in the queues of tools, one at a time. */
export async function workOff({ store, orchestrator }: Pick<Scene, 'store' | 'orchestrator'>): Promise<void> {
  const ledger = store.ledger as Awaited<ReturnType<typeof openLedger>>
  await using _worker = ledger.work(await orchestrator.handlers(), { concurrency: 1 })
  await ledger.idle({ withinMs: 5000 })
}
