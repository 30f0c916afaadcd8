import { execFile } from 'node:child_process'

export interface ProgramRun {
  readonly exe: string
  readonly args: readonly string[]
  readonly cwd: string
  /** All of it: nothing is taken from the environment of this process. */
  readonly env: { readonly [name: string]: string }
  readonly timeoutMs: number
  /** More than this much output ends it. */
  readonly mostBytes: number
}

export interface ProgramAnswer {
  /** Null when it was ended, printed too much, or could not be started. */
  readonly exitCode: number | null
  readonly stdout: Uint8Array
}

/** Runs a program that answers a question and ends, with no shell in between and nothing on stdin. */
export async function runProgram(run: ProgramRun): Promise<ProgramAnswer> {
  const { exe, args, cwd, env, timeoutMs, mostBytes } = run
  const options = {
    cwd,
    env,
    encoding: 'buffer',
    timeout: timeoutMs,
    killSignal: 'SIGKILL',
    maxBuffer: mostBytes,
    windowsHide: true,
  } as const
  return new Promise((resolve) => {
    const child = execFile(exe, args, options, (error, stdout) => {
      const code: unknown = error === null ? 0 : error.code
      resolve({ exitCode: typeof code === 'number' ? code : null, stdout })
    })
    // One that ends before it has read everything breaks the pipe, which is no news.
    child.stdin?.on('error', () => {}).end()
  })
}
