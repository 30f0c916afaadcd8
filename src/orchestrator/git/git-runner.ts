import { runProgram } from '../../world/run-program.ts'
import { QUIET_GIT_ENV } from './quiet-git.ts'

interface GitAnswer {
  /** Null when it did not end by itself. */
  readonly exitCode: number | null
  readonly stdout: Uint8Array
}

/** Runs git in a folder, with these variables beside those that keep it from asking. */
export type RunGit = (
  args: readonly string[],
  cwd: string,
  env?: { readonly [name: string]: string },
) => Promise<GitAnswer>

const MOST_BYTES = 32 * 1024 * 1024
const TIMEOUT_MS = 60_000

/** The git on the PATH. Where it works is said by the folder, so no variable of the worker's own may say otherwise. */
export function gitRunner(environment: { readonly [name: string]: string | undefined }): RunGit {
  const own = Object.entries(environment).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && !entry[0].startsWith('GIT_'),
  )
  const quiet = { ...Object.fromEntries(own), ...QUIET_GIT_ENV, GIT_NO_LAZY_FETCH: '1', LC_ALL: 'C' }
  return async (args, cwd, env = {}) =>
    runProgram({
      exe: 'git',
      args,
      cwd,
      env: { ...quiet, ...env },
      timeoutMs: TIMEOUT_MS,
      mostBytes: MOST_BYTES,
    })
}
