import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, constants, fstatSync, openSync } from 'node:fs'
import type { Readable } from 'node:stream'
import { systemIds } from './ids.ts'
import { type OutputPipe, outputPipes } from './output-pipes.ts'
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
  const pipes = await outputPipes()
  const child = spawned(command, mark, pipes)
  const { pid } = child
  if (pid === undefined) {
    for (const pipe of pipes ?? []) pipe.reader.destroy()
    throw await new Promise((resolve) => child.once('error', resolve))
  }
  guard.add(pid)
  let isReleased = false
  return {
    pid,
    since: sinceOf(pid),
    mark,
    stdout: pipes?.[0].reader ?? (child.stdout as Readable),
    stderr: pipes?.[1].reader ?? (child.stderr as Readable),
    exited: exitOf(child),
    release() {
      if (isReleased) return
      isReleased = true
      guard.leave(pid)
    },
  }
}

type Pipes = readonly [OutputPipe, OutputPipe] | null

function spawned(command: StartedCommand, mark: string, pipes: Pipes): ChildProcess {
  const { exe, args, cwd, env, stdinFile } = command
  const files = (pipes ?? []).map(({ writer }) => writer)
  try {
    const stdin = stdinFile === null ? 'ignore' : openPlain(stdinFile)
    if (stdin !== 'ignore') files.push(stdin)
    return spawn(exe, args, {
      cwd,
      env: { ...env, [MARK_NAME]: mark.slice(MARK_NAME.length + 1) },
      // A session of its own: no terminal to ask anything on, and a group that can be ended as one.
      detached: true,
      shell: false,
      stdio: [stdin, pipes?.[0].writer ?? 'pipe', pipes?.[1].writer ?? 'pipe'],
    })
  } catch (error) {
    for (const pipe of pipes ?? []) pipe.reader.destroy()
    throw error
  } finally {
    // The program has them now; as long as we had them too there would be no end to what it prints.
    for (const file of files) closeSync(file)
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
