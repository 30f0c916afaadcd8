import type { JsonObject } from '../../../core/json.ts'
import { InvalidInput } from '../../../errors/input-errors.ts'
import { QUIET_GIT_ARGS, QUIET_GIT_ENV } from '../../git/quiet-git.ts'
import { type Adapter, type FinishedCommand, unlessSet } from '../adapter.ts'
import type { ToolJob } from '../tool-job.ts'
import { GitArguments } from './git-arguments.ts'
import { GIT_OPERATIONS } from './git-operations.ts'

/** With these git works on something else than the folder it is run in. */
const ELSEWHERE = ['GIT_DIR', 'GIT_WORK_TREE', 'GIT_COMMON_DIR', 'GIT_INDEX_FILE', 'GIT_OBJECT_DIRECTORY']

/**
 * A few operations of git, by name: `args[0]` says which, the others are names and paths and never options. It never
 * asks anything. The repository's own hooks run, as they do for everybody who commits.
 */
export const gitAdapter: Adapter = {
  tool: 'git',
  defaultTimeoutSeconds: 60,
  passEnv: [
    'GIT_AUTHOR_NAME',
    'GIT_AUTHOR_EMAIL',
    'GIT_COMMITTER_NAME',
    'GIT_COMMITTER_EMAIL',
    'SSH_AUTH_SOCK',
  ],
  prepare(job, place) {
    for (const name of ELSEWHERE) if (Object.hasOwn(job.env, name)) throw worksElsewhere(name)
    const operation = operationOf(job)
    const given = new GitArguments(job, place)
    const commands = operation.commands(given)
    given.refuseMore()
    const env = unlessSet(job, QUIET_GIT_ENV)
    return commands.map(({ args, ...ends }) => ({
      exe: job.command.exe,
      args: [...QUIET_GIT_ARGS, ...args],
      env,
      ...ends,
    }))
  },
  report(job, done) {
    const { report } = operationOf(job)
    return { git: { operation: job.command.args[0] ?? '', ...reported(report, done) } }
  },
}

function reported(
  report: ((printed: string) => JsonObject) | undefined,
  { status, tail }: FinishedCommand,
): JsonObject {
  return status === 'completed' && report !== undefined ? report(tail) : {}
}

function operationOf({ command }: ToolJob) {
  const name = command.args[0] ?? ''
  const operation = GIT_OPERATIONS.get(name)
  if (operation !== undefined) return operation
  const known = [...GIT_OPERATIONS].map(([known, { usage }]) => `${known} ${usage}`.trim())
  const what =
    name === ''
      ? 'no operation of git is given'
      : `${JSON.stringify(name)} is no operation of the git adapter`
  throw new InvalidInput(
    'command.args[0]',
    what,
    `Known are: ${known.join('; ')}. For anything else use the tool command.`,
  )
}

function worksElsewhere(name: string): InvalidInput {
  return new InvalidInput(
    `env.${name}`,
    `${name} would have git work elsewhere than in the working directory`,
    'Say where in paths.working_dir.',
  )
}
