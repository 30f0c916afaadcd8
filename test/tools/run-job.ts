// Runs what an adapter prepares, as a worker does but with nobody to watch over it.
import { spawn } from 'node:child_process'
import { createReadStream, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { JsonObject } from '../../src/core/json.ts'
import {
  type Adapter,
  afterCommand,
  commandsOf,
  type FinishedCommand,
  type JobPlace,
  type PreparedCommand,
} from '../../src/orchestrator/tools/adapter.ts'
import type { ToolJob } from '../../src/orchestrator/tools/tool-job.ts'

export interface JobRun {
  readonly done: FinishedCommand
  readonly report: JsonObject
}

/** A folder that is gone with the `using` that holds it. */
export function folder(name: string): { readonly path: string } & Disposable {
  const path = realpathSync(mkdtempSync(join(tmpdir(), `waybill-${name}-`)))
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) }
}

/** What any job finds in its environment here: nothing of whoever runs the tests, and nobody's own settings. */
export function bareEnvironment(home: string): NodeJS.ProcessEnv {
  return { PATH: process.env.PATH, HOME: home, TMPDIR: tmpdir(), GIT_CONFIG_NOSYSTEM: '1' }
}

export async function runJob(
  adapter: Adapter,
  job: ToolJob,
  place: JobPlace,
  environment: NodeJS.ProcessEnv,
): Promise<JobRun> {
  const commands = commandsOf(adapter, job, place)
  const begun = performance.now()
  let printed = ''
  for (const [index, command] of commands.entries()) {
    const env = { ...environment, ...job.env, ...command.env }
    const ran = await runCommand(command, place.workingDir, env)
    printed += ran.printed
    const after = afterCommand(command, ran.exitCode, index === commands.length - 1)
    if (after === 'next') continue
    const done: FinishedCommand = {
      exitCode: ran.exitCode,
      signal: null,
      status: after,
      head: printed,
      tail: printed,
      durationMs: performance.now() - begun,
    }
    return { done, report: adapter.report?.(job, done) ?? {} }
  }
  throw new Error('there was nothing to run')
}

async function runCommand(
  { exe, args, stdinFile }: PreparedCommand,
  cwd: string,
  env: NodeJS.ProcessEnv,
): Promise<{ readonly exitCode: number | null; readonly printed: string }> {
  // A session of its own has no terminal that anything could ask at.
  const child = spawn(exe, args, { cwd, env, stdio: 'pipe', detached: true })
  const parts: Buffer[] = []
  child.stdout.on('data', (part: Buffer) => parts.push(part))
  child.stderr.on('data', (part: Buffer) => parts.push(part))
  child.stdin.on('error', () => {})
  if (stdinFile === undefined) child.stdin.end()
  else createReadStream(stdinFile).pipe(child.stdin)
  const ended = Promise.withResolvers<number | null>()
  child.on('error', ended.reject)
  child.on('close', ended.resolve)
  return { exitCode: await ended.promise, printed: Buffer.concat(parts).toString('utf8') }
}
