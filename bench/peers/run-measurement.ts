import { fork } from 'node:child_process'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Said, Task } from './measure.ts'
import type { Figures } from './workloads.ts'

/** Longer than any that goes well: what goes before it takes longer than what counts. */
const TIMEOUT_MS = 90_000
const TIMES_AS_LONG = 10
const MOST_ERROR_CHARACTERS = 2000

/** Compiling the same modules again and again would take longer than measuring. But it belongs to a start. */
function compileCache({ workload }: Task): NodeJS.ProcessEnv {
  return workload === 'startup' ? {} : { NODE_COMPILE_CACHE: join(tmpdir(), 'compile-cache') }
}

/** Runs one measurement in a process of its own. */
export async function runMeasurement(
  task: Task,
  timeoutMs = TIMEOUT_MS + TIMES_AS_LONG * task.sizes.ms,
): Promise<Figures> {
  const child = fork(join(import.meta.dirname, 'measure.ts'), [JSON.stringify(task)], {
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    env: { ...process.env, NODE_ENV: 'production', NO_COLOR: '1', ...compileCache(task) },
  })
  let figures: Figures | null = null
  let said = ''
  child.on('message', (message: Said) => {
    figures = message.figures
  })
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk: Buffer) => {
      said = (said + chunk.toString()).slice(-MOST_ERROR_CHARACTERS)
    })
  }
  let isLate = false
  const late = setTimeout(() => {
    isLate = true
    child.kill('SIGKILL')
  }, timeoutMs)
  const killed = () => child.kill('SIGKILL')
  process.once('exit', killed)
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  })
  clearTimeout(late)
  process.off('exit', killed)
  if (figures !== null) return figures
  const why = isLate ? `it took longer than ${timeoutMs / 1000} s` : `it ended with ${code}`
  throw new Error(`${why}\n${said}`)
}
