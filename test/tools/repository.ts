// Repositories of git to work in, each in a folder of its own and with settings of nobody else.
import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { gitAdapter } from '../../src/orchestrator/tools/adapters/git.ts'
import { placeAt, toolJob } from '../fixtures/tool-jobs.ts'
import { bareEnvironment, folder, type JobRun, runJob } from './run-job.ts'

export interface Repository extends Disposable {
  readonly path: string
  readonly environment: NodeJS.ProcessEnv
  /** By hand, without the adapter. */
  git(...args: readonly string[]): string
  gitIn(dir: string, ...args: readonly string[]): string
  write(path: string, text: string): void
  /** By a job of the adapter; in a folder of it when one is named. */
  job(args: readonly string[], working_dir?: string, job_id?: string): Promise<JobRun>
}

export function repository(): Repository {
  const home = folder('git')
  const path = join(home.path, 'repo')
  mkdirSync(path)
  const environment = bareEnvironment(home.path)
  const gitIn = (dir: string, ...args: readonly string[]) =>
    execFileSync('git', args, { cwd: join(path, dir), env: environment, encoding: 'utf8', stdio: 'pipe' })
  gitIn('.', 'config', '--global', 'user.name', 'Somebody')
  gitIn('.', 'config', '--global', 'user.email', 'somebody@example.org')
  gitIn('.', 'config', '--global', 'init.defaultBranch', 'main')
  gitIn('.', 'init', '--quiet')
  return {
    path,
    environment,
    gitIn,
    git: (...args) => gitIn('.', ...args),
    write: (name, text) => {
      mkdirSync(dirname(join(path, name)), { recursive: true })
      writeFileSync(join(path, name), text)
    },
    job: async (args, working_dir = '.', job_id = 'job-1') => {
      const paths = { ...toolJob().paths, repo_root: path, working_dir }
      const job = toolJob({ job_id, tool: 'git', command: { exe: 'git', args }, paths })
      return runJob(gitAdapter, job, placeAt(path, { workingDir: join(path, working_dir) }), environment)
    },
    [Symbol.dispose]: home[Symbol.dispose],
  }
}
