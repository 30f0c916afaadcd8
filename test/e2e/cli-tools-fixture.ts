// A repository, programs that stand in for tools, and files of tool jobs, for running them through the command line.
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, realpathSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Shell } from './cli-run.ts'

type Metadata = { readonly [name: string]: unknown }

export interface JobFile {
  readonly job_id: string
  readonly tool?: string
  readonly run_id?: string
  readonly workstream_id?: string
  readonly command?: { readonly exe: string; readonly args: readonly string[] }
  readonly metadata?: Metadata
}

export class ToolShop extends Shell {
  readonly repo = join(realpathSync(this.folder), 'repo')
  readonly bin = this.path('bin')

  constructor() {
    super()
    mkdirSync(this.repo)
    mkdirSync(this.bin)
    this.git('init', '--quiet')
    this.git('config', 'user.name', 'Somebody')
    this.git('config', 'user.email', 'somebody@example.org')
    writeFileSync(join(this.repo, '.gitignore'), 'logs/\n')
    writeFileSync(join(this.repo, 'message.md'), 'Repair it.\n')
    this.git('add', '-A')
    this.git('commit', '--quiet', '-m', 'first')
  }

  /** With the stand-ins before everything else. */
  get env(): { readonly PATH: string } {
    return { PATH: `${this.bin}:${process.env.PATH}` }
  }

  git(...args: readonly string[]): string {
    return execFileSync('git', args, { cwd: this.repo, encoding: 'utf8', stdio: 'pipe' })
  }

  /** A program of this name, written in shell. */
  program(name: string, script: string): void {
    writeFileSync(join(this.bin, name), `#!/bin/sh\n${script}\n`)
    chmodSync(join(this.bin, name), 0o755)
  }

  /** The path of a file with this job; a plain command unless it is said to be another tool. */
  jobFile({ job_id, tool = 'command', metadata = {}, ...more }: JobFile): string {
    const file = this.path(`${job_id}.json`)
    const job = {
      job_id,
      workstream_id: 'ws-1',
      tool,
      command: { exe: tool, args: [] },
      env: {},
      paths: {
        repo_root: this.repo,
        working_dir: '.',
        log_file: `logs/${job_id}.log`,
        error_report: `logs/${job_id}.error.json`,
      },
      metadata: { retry_policy: 'none', backoff: 'immediate', ...metadata },
      ...more,
    }
    writeFileSync(file, JSON.stringify(job))
    return file
  }

  /** A job that runs a line of shell. */
  scriptFile(job_id: string, line: string, more: Partial<JobFile> = {}): string {
    return this.jobFile({ ...more, job_id, command: { exe: 'sh', args: ['-c', line] } })
  }
}
