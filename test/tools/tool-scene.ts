import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { childEnv } from '../../src/orchestrator/process/child-env.ts'
import { beneathRoot, placeOf, type ToolPlace } from '../../src/orchestrator/process/place-of.ts'
import {
  type FinishedProcess,
  type ProcessOutside,
  type ProcessSpec,
  runProcess,
} from '../../src/orchestrator/process/run-process.ts'
import { parseToolJob } from '../../src/orchestrator/tools/tool-job.ts'
import { nodeFileSystem } from '../../src/world/node-file-system.ts'
import { nodeProcesses } from '../../src/world/node-processes.ts'
import { systemTimers, type Timers } from '../../src/world/timers.ts'
import { realWorld } from '../../src/world/world.ts'

export const OUTSIDE: ProcessOutside = { ...realWorld, processes: nodeProcesses, files: nodeFileSystem }

/** A repository, and beside it what no job may touch. */
export class ToolScene {
  readonly folder = realpathSync(mkdtempSync(join(tmpdir(), 'waybill-tool-')))
  readonly repo = join(this.folder, 'repo')
  /** Where nothing may be written. */
  readonly elsewhere = join(this.folder, 'elsewhere')
  /** Made by the command of `job`, should it ever be run. */
  readonly canary = join(this.folder, 'canary')

  constructor() {
    for (const folder of [this.repo, join(this.repo, '.git'), this.elsewhere]) mkdirSync(folder)
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true })
  }

  /** A job that is sound, and leaves a trace when it is run. */
  job() {
    return {
      job_id: 'job-1',
      run_id: 'run-1',
      workstream_id: 'ws-1',
      tool: 'tests',
      command: { exe: 'touch', args: [this.canary] },
      env: { A: 'b' },
      paths: { repo_root: this.repo, working_dir: '.', log_file: 'l.log', error_report: 'e.json' },
      metadata: { retry_policy: 'none', timeout_seconds: 30, max_retries: 3, note: { any: ['thing'] } },
    }
  }

  /** All the way from what somebody gives to the end of the process. */
  async attempt(value: unknown): Promise<{ readonly place: ToolPlace; readonly done: FinishedProcess }> {
    const job = parseToolJob(value)
    const place = await placeOf(job, { files: nodeFileSystem, base: this.folder })
    const done = await this.run(job.command.exe, job.command.args, {
      cwd: place.workingDir,
      logFile: beneathRoot(place, place.logFile),
      env: this.env({ job: job.env }),
    })
    return { place, done }
  }

  env(more: Partial<Parameters<typeof childEnv>[0]> = {}): Record<string, string> {
    return childEnv({ own: process.env, job: {}, jobId: 'job-1', attempt: 1, ledger: this.folder, ...more })
  }

  run(exe: string, args: readonly string[], more: Partial<ProcessSpec> = {}): Promise<FinishedProcess> {
    return runProcess(this.#spec(exe, args, more), OUTSIDE)
  }

  /** In a world that is otherwise in some ways. */
  runIn(
    outside: Partial<ProcessOutside>,
    exe: string,
    args: readonly string[],
    more: Partial<ProcessSpec> = {},
  ): Promise<FinishedProcess> {
    return runProcess(this.#spec(exe, args, more), { ...OUTSIDE, ...outside })
  }

  #spec(exe: string, args: readonly string[], more: Partial<ProcessSpec>): ProcessSpec {
    return {
      exe,
      args,
      cwd: this.repo,
      env: this.env(),
      logFile: { folder: this.repo, path: 'l.log' },
      attempt: 1,
      timeoutMs: 30_000,
      ...more,
    }
  }

  /** A program of JavaScript. */
  node(script: string, more: Partial<ProcessSpec> = {}): Promise<FinishedProcess> {
    return this.run(process.execPath, ['-e', script], more)
  }

  log(): string {
    return readFileSync(join(this.repo, 'l.log'), 'utf8')
  }

  /** All names under the folder, so that a name more would be seen. */
  names(): readonly string[] {
    return namesIn(this.folder, '').sort()
  }

  get wasRun(): boolean {
    return existsSync(this.canary)
  }
}

/** A timeout that is over when a test says so, and not by chance before or after something else. */
export class TimeoutOnDemand {
  readonly timeoutMs = 12_345_678
  #over: () => void = () => {}

  readonly timers: Timers = {
    ...systemTimers,
    after: (ms, callback) => {
      if (ms !== this.timeoutMs) return systemTimers.after(ms, callback)
      this.#over = callback
      return { cancel: () => {} }
    },
  }

  over(): void {
    this.#over()
  }
}

/** Without following links, which the recursive way of Node does. */
function namesIn(folder: string, prefix: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const name = join(prefix, entry.name)
    return entry.isDirectory() ? [name, ...namesIn(join(folder, entry.name), name)] : [name]
  })
}

/** Numbers of the processes alive that have this entry in their environment. */
export async function processesWith(entry: string): Promise<readonly number[]> {
  const rows = (await nodeProcesses.table(0)) ?? []
  return rows.filter((row) => row.has(entry)).map(({ pid }) => pid)
}
