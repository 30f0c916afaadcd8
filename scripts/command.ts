// Runs one command of the toolchain, with this repository's own binaries first on the PATH, so that scripts
// work the same whether npm or a person started them.
import { spawn } from 'node:child_process'
import { delimiter, join } from 'node:path'

export const ROOT = join(import.meta.dirname, '..')

export type Outcome = { ok: boolean; output: string; ms: number }

type Options = {
  /** `show` passes output through to the terminal; `keep` returns it. */
  output: 'show' | 'keep'
  /** A command that hangs is killed: better a red run than one that never ends. */
  timeoutMs: number
  /** Beside what is in the environment. */
  env?: NodeJS.ProcessEnv
}

export function run(argv: readonly string[], { output, timeoutMs, env = {} }: Options): Promise<Outcome> {
  const [command = '', ...args] = argv
  const started = performance.now()
  const chunks: Buffer[] = []
  const child = spawn(command, args, {
    cwd: ROOT,
    env: {
      ...process.env,
      ...env,
      PATH: [join(ROOT, 'node_modules/.bin'), process.env.PATH].join(delimiter),
    },
    stdio: output === 'show' ? 'inherit' : ['ignore', 'pipe', 'pipe'],
    timeout: timeoutMs,
  })
  child.stdout?.on('data', (chunk: Buffer) => chunks.push(chunk))
  child.stderr?.on('data', (chunk: Buffer) => chunks.push(chunk))

  return new Promise((resolve) => {
    const finish = (ok: boolean, note = '') =>
      resolve({ ok, output: Buffer.concat(chunks).toString() + note, ms: performance.now() - started })
    child.on('error', (error) => finish(false, `${command}: ${error.message}\n`))
    child.on('close', (code, signal) => {
      if (signal)
        finish(false, `${command} was stopped by ${signal} after ${seconds(performance.now() - started)}\n`)
      else finish(code === 0)
    })
  })
}

export function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`
}
