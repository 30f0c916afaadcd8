import { relative, sep } from 'node:path'
import type { JsonObject } from '../../../core/json.ts'
import { InvalidInput } from '../../../errors/input-errors.ts'
import type { PreparedCommand } from '../adapter.ts'
import { type GitArguments, isInside } from './git-arguments.ts'

type GitCommand = Pick<PreparedCommand, 'args' | 'goesOnAt' | 'endsAt'>

export interface GitOperation {
  /** What follows its name. */
  readonly usage: string
  commands(given: GitArguments): readonly GitCommand[]
  /** What is read off the last part of what it printed, once it is completed. */
  readonly report?: (printed: string) => JsonObject
}

/** Where worktrees inside a repository are: git would commit one anywhere else as if it were a submodule. */
const WORKTREES = '.worktrees'

const COMMITTED = /(?:^|\n)committed ([0-9a-f]{40,64})\n?$/

const commit: GitOperation = {
  usage: '<message> [paths…]',
  commands(given) {
    const message = given.message()
    const paths = given.paths()
    const only = paths.length === 0 ? [] : ['--only', '--', ...paths]
    return [
      { args: addition(given, paths) },
      // 1 says that something is staged, 0 that nothing is, and then there is nothing to do.
      {
        args: ['--literal-pathspecs', 'diff', '--cached', '--quiet', '--no-ext-diff', '--', ...paths],
        goesOnAt: [1],
        endsAt: [0],
      },
      {
        args: [
          '--literal-pathspecs',
          'commit',
          '--quiet',
          `--message=${message}`,
          `--trailer=Waybill-Job: ${given.job.job_id}`,
          ...only,
        ],
      },
      { args: ['log', '--max-count=1', '--no-show-signature', '--format=committed %H'] },
    ]
  },
  report(printed) {
    const sha = COMMITTED.exec(printed)?.[1]
    return sha === undefined ? { committed: false } : { committed: true, commit: sha }
  },
}

/** The paths as they are written; or everything but what the job itself is writing, and the worktrees inside. */
function addition({ job }: GitArguments, paths: readonly string[]): readonly string[] {
  if (paths.length > 0) return ['--literal-pathspecs', 'add', '--all', '--', ...paths]
  const { log_file, error_report } = job.paths
  const left = [...[log_file, error_report].map(escapedGlob), `${WORKTREES}/**`]
  return ['add', '--all', '--', ':(top)', ...left.map((glob) => `:(top,exclude,glob)**/${glob}`)]
}

function escapedGlob(path: string): string {
  return path.replace(/^\.?\//, '').replace(/[\\*?[\]]/g, '\\$&')
}

const worktreeAdd: GitOperation = {
  usage: '<path> <branch> [start]',
  commands(given) {
    const { field } = given
    const path = given.path()
    const inner = relative(given.place.workingDir, path)
    if (isInside(given.place.workingDir, path) && inner.split(sep)[0] !== WORKTREES) {
      const what = `${field} is a folder of the working directory, and would be committed with it`
      throw new InvalidInput(field, what, `Put it into ${WORKTREES}/, or beside the working directory.`)
    }
    const branch = given.branch()
    const start = given.optionalRevision()
    return [
      {
        args:
          start === null
            ? ['worktree', 'add', '--', path, branch]
            : ['worktree', 'add', '-b', branch, '--', path, start],
      },
    ]
  },
}

/** The branch a remote gets has the name it has here. */
function sameName(branch: string): string {
  return `refs/heads/${branch}:refs/heads/${branch}`
}

const simple = (
  usage: string,
  argsOf: (given: GitArguments) => readonly (string | null)[],
): GitOperation => ({
  usage,
  commands: (given) => [{ args: argsOf(given).filter((arg) => arg !== null) }],
})

export const GIT_OPERATIONS: ReadonlyMap<string, GitOperation> = new Map([
  ['commit', commit],
  [
    'branch',
    simple('<name> [start]', (given) => [
      'branch',
      '--end-of-options',
      given.branch(),
      given.optionalRevision(),
    ]),
  ],
  ['switch', simple('<name>', (given) => ['switch', '--end-of-options', given.branch()])],
  ['worktree-add', worktreeAdd],
  ['worktree-remove', simple('<path>', (given) => ['worktree', 'remove', '--', given.path()])],
  ['status', simple('', () => ['status', '--porcelain=v2', '--branch'])],
  ['fetch', simple('<remote>', (given) => ['fetch', '--end-of-options', given.remote()])],
  [
    'push',
    simple('<remote> <branch>', (given) => [
      'push',
      '--end-of-options',
      given.remote(),
      sameName(given.branch()),
    ]),
  ],
])
