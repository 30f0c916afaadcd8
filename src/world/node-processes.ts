import { type ChildProcess, type ChildProcessByStdio, spawn } from 'node:child_process'
import { closeSync, constants, fstatSync, openSync } from 'node:fs'
import type { Readable } from 'node:stream'
import { systemIds } from './ids.ts'
import { ProcessGuard } from './process-guard.ts'
import { readProcessTable, sinceOf } from './process-table.ts'
import type { Exit, Processes, StartedCommand, StartedProcess } from './processes.ts'

/** The variable that everything has which was started from here. */
const MARK_NAME = 'WAYBILL_ATTEMPT_MARK'

/** The part of marks that is the same for all of this process. */
const OURS = `${MARK_NAME}=${systemIds.next()}`

const guard = new ProcessGuard(`${OURS}.`)
let marks = 0

/** Not waiting, should it be a pipe that nobody writes to. */
const READ = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK

export const nodeProcesses: Processes = {
  pid: process.pid,
  table: readProcessTable,
  async start(command) {
    guard.enter()
    try {
      return await guarded(command)
    } catch (error) {
      guard.leave()
      throw error
    }
  },
  signal(pid, signal) {
    try {
      process.kill(pid, signal)
      return 'sent'
    } catch (error) {
      return (error as NodeJS.ErrnoException).code === 'ESRCH' ? 'gone' : 'refused'
    }
  },
}

async function guarded(command: StartedCommand): Promise<StartedProcess> {
  marks++
  const mark = `${OURS}.${marks}`
  const child = spawned(command, mark)
  const { pid } = child
  if (pid === undefined) throw await new Promise((resolve) => child.once('error', resolve))
  guard.add(pid)
  let isReleased = false
  return {
    pid,
    since: sinceOf(pid),
    mark,
    stdout: child.stdout,
    stderr: child.stderr,
    exited: exitOf(child),
    release() {
      if (isReleased) return
      isReleased = true
      guard.leave(pid)
    },
  }
}

function spawned(command: StartedCommand, mark: string): ChildProcessByStdio<null, Readable, Readable> {
  const { exe, args, cwd, env, stdinFile } = command
  const stdin = stdinFile === null ? null : openPlain(stdinFile)
  try {
    return spawn(exe, args, {
      cwd,
      env: { ...env, [MARK_NAME]: mark.slice(MARK_NAME.length + 1) },
      // A session of its own: no terminal to ask anything on, and a group that can be ended as one.
      detached: true,
      shell: false,
      stdio: [stdin ?? 'ignore', 'pipe', 'pipe'],
    }) as ChildProcessByStdio<null, Readable, Readable>
  } finally {
    if (stdin !== null) closeSync(stdin)
  }
}

function openPlain(path: string): number {
  const file = openSync(path, READ)
  if (fstatSync(file).isFile()) return file
  closeSync(file)
  throw new Error(`${path} is not a plain file`)
}

function exitOf(child: ChildProcess): Promise<Exit> {
  return new Promise((resolve) => {
    child.once('exit', (exitCode, signal) => resolve({ exitCode, signal }))
    // Said of signals that could not be sent and the like; whether it is over is said by its exit.
    child.on('error', () => {})
  })
}
