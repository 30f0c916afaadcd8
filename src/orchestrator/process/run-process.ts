// One run of a program, from its start to the end of the last process it left. What ends it:
//
// - it exits by itself. What it has left running may go on printing, for as long as the grace; then it is told to stop, and
//   what does not is killed;
// - it takes too long, or is cancelled: it and all it started are told to stop (SIGTERM), and killed when the grace is over.
//
// In the end nothing of it is left, and if it is, the answer says so (`survivors`).
import { toIso } from '../../core/time.ts'
import { PathEscapes, ToolNotStarted } from '../../errors/tool-errors.ts'
import { redactText } from '../../ledger/redact.ts'
import { type AppendedFile, type FileSystem, NotPlain, type PlaceBeneath } from '../../world/file-system.ts'
import { pause } from '../../world/pause.ts'
import type { Exit, Processes, ProcessRow, StartedProcess } from '../../world/processes.ts'
import type { World } from '../../world/world.ts'
import { AttemptLog, type LogFacts, MOST_LOG_BYTES } from './attempt-log.ts'
import { killAll, whenGone } from './end-processes.ts'
import { findExecutable } from './find-executable.ts'
import { OutputCapture, type OutputChunk } from './output-capture.ts'
import { ProcessTree } from './process-tree.ts'
import { redactArgv } from './redact-argv.ts'

const GRACE_MS = 5000

/** What was printed before the end is read within this; who still holds the pipe then could not be killed. */
const LAST_OUTPUT_MS = 1000

export interface ProcessSpec {
  readonly exe: string
  readonly args: readonly string[]
  /** A real path that is there. */
  readonly cwd: string
  /** All of it, as `childEnv` makes it. */
  readonly env: Readonly<Record<string, string>>
  readonly stdinFile?: string | undefined
  /** Beneath the root of the repository, see `beneathRoot`. */
  readonly logFile: PlaceBeneath
  /** Whose log it is (`logMarkOf`); nobody's when absent. */
  readonly logMark?: string | undefined
  readonly attempt: number
  readonly timeoutMs: number
  /** From the word to stop until it is killed. */
  readonly graceMs?: number | undefined
  readonly mostLogBytes?: number | undefined
  readonly signal?: AbortSignal | undefined
  /** Called as it prints; should it throw, it is not called again. */
  readonly onOutput?: ((chunk: OutputChunk) => void) | undefined
}

export interface FinishedProcess extends LogFacts {
  readonly exitCode: number | null
  readonly signal: string | null
  readonly status: 'completed' | 'failed' | 'timeout' | 'cancelled'
  readonly head: string
  readonly tail: string
  readonly durationMs: number
  /** Processes that could not be ended: not ours to end, or stuck in the system. Empty but for the rarest of cases. */
  readonly survivors: readonly number[]
}

export type ProcessOutside = Pick<World, 'clock' | 'timers' | 'logger'> & {
  readonly processes: Processes
  readonly files: FileSystem
}

/** Rejects with `ToolNotFound`, `ToolNotStarted` or `PathEscapes` when nothing was run. */
export async function runProcess(spec: ProcessSpec, outside: ProcessOutside): Promise<FinishedProcess> {
  if (spec.signal?.aborted === true) return NEVER_RUN
  const { cwd, env } = spec
  const exe = await findExecutable(spec.exe, { path: env.PATH ?? '', workingDir: cwd, files: outside.files })
  const log = new AttemptLog(
    await openLog(exe, spec.logFile, outside.files),
    spec.mostLogBytes ?? MOST_LOG_BYTES,
  )
  const { clock } = outside
  const startedAt = clock.now()
  if (spec.logMark !== undefined) log.begin(spec.logMark)
  log.line(`${toIso(startedAt)} attempt ${spec.attempt}: ${shownArgv(spec)}`)
  const hold = outside.timers.hold()
  try {
    const child = await start(spec, exe, outside).catch(async (error: Error) => {
      await log.finish(`${toIso(clock.now())} ${redactText(error.message)}`)
      throw error
    })
    const done = await new ProcessRun(spec, child, log, outside).done()
    const durationMs = clock.now() - startedAt
    const facts = await log.finish(`${toIso(clock.now())} ${shownEnd(done, durationMs)}`)
    if (facts.logError !== null) outside.logger.warn(facts, `The log of ${exe} could not be written`)
    return { ...done, ...facts, durationMs }
  } finally {
    hold.cancel()
  }
}

const NEVER_RUN: FinishedProcess = {
  exitCode: null,
  signal: null,
  status: 'cancelled',
  head: '',
  tail: '',
  durationMs: 0,
  logBytes: 0,
  droppedBytes: 0,
  logError: null,
  survivors: [],
}

function openLog(exe: string, place: PlaceBeneath, files: FileSystem): Promise<AppendedFile> {
  return files.appendBeneath(place).catch((cause: Error) => {
    // It was looked at before: somebody has put something else there since.
    if (cause instanceof NotPlain)
      throw new PathEscapes('paths.log_file', place.path, cause.message, { cause })
    throw new ToolNotStarted(exe, `its log ${place.path} cannot be opened: ${cause.message}`, { cause })
  })
}

function start(spec: ProcessSpec, exe: string, outside: ProcessOutside): Promise<StartedProcess> {
  const { args, cwd, env, stdinFile = null } = spec
  return outside.processes.start({ exe, args, cwd, env, stdinFile }).catch(async (cause: unknown) => {
    const isCwdGone = (await outside.files.kindOf(cwd).catch(() => null)) !== 'folder'
    throw new ToolNotStarted(exe, isCwdGone ? `${cwd} is not there` : whyOf(cause), { cause })
  })
}

function whyOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException
  if (code === 'E2BIG') return 'its arguments and environment are larger than the system takes'
  return code === 'EACCES' ? 'the system does not permit it' : message
}

function shownArgv({ exe, args }: ProcessSpec): string {
  return JSON.stringify(redactArgv([exe, ...args]))
}

function shownEnd({ status, exitCode, signal }: Ended, durationMs: number): string {
  const how = signal !== null ? `ended by ${signal}` : `exit code ${exitCode ?? 'unknown'}`
  return `${status}: ${how}, after ${durationMs / 1000} s`
}

type Ended = Pick<FinishedProcess, 'exitCode' | 'signal' | 'status' | 'head' | 'tail' | 'survivors'>

class ProcessRun {
  readonly #spec: ProcessSpec
  readonly #child: StartedProcess
  readonly #outside: ProcessOutside
  readonly #capture: OutputCapture
  readonly #tree: ProcessTree
  #exit: Exit | null = null

  constructor(spec: ProcessSpec, child: StartedProcess, log: AttemptLog, outside: ProcessOutside) {
    this.#spec = spec
    this.#child = child
    this.#outside = outside
    this.#tree = new ProcessTree(child)
    this.#capture = new OutputCapture(child, log, spec.onOutput, outside.logger)
  }

  async done(): Promise<Ended> {
    const exited = this.#child.exited.then((exit) => {
      this.#exit = exit
    })
    const stopped = await this.#untilStopped(exited)
    const { clock, timers } = this.#outside
    const { graceMs = GRACE_MS } = this.#spec
    const deadline = clock.now() + graceMs
    const graceOver = pause(timers, graceMs)
    if (stopped !== null) await this.#tellToStop()
    await Promise.race([Promise.all([exited, this.#capture.ended]), graceOver])
    const survivors = await this.#endRest(deadline, stopped !== null)
    await Promise.race([Promise.all([exited, this.#capture.ended]), pause(timers, LAST_OUTPUT_MS)])
    this.#capture.close()
    this.#child.release()
    if (survivors.length > 0)
      this.#outside.logger.error({ survivors }, 'Processes of a tool could not be ended')
    const { exitCode = null, signal = null } = this.#exit ?? {}
    const status = stopped ?? (exitCode === 0 ? 'completed' : 'failed')
    return { exitCode, signal, status, head: this.#capture.head, tail: this.#capture.tail, survivors }
  }

  /** Null when it exited by itself. */
  async #untilStopped(exited: Promise<void>): Promise<'timeout' | 'cancelled' | null> {
    const { signal, timeoutMs } = this.#spec
    const stop = Promise.withResolvers<'timeout' | 'cancelled'>()
    const cancel = () => stop.resolve('cancelled')
    const timer = this.#outside.timers.after(timeoutMs, () => stop.resolve('timeout'))
    signal?.addEventListener('abort', cancel)
    // It may have been aborted while the program was being started.
    if (signal?.aborted === true) cancel()
    try {
      return await Promise.race([exited.then(() => null), stop.promise])
    } finally {
      timer.cancel()
      signal?.removeEventListener('abort', cancel)
    }
  }

  async #tellToStop(): Promise<void> {
    const { processes } = this.#outside
    // Looked for first: a child whose parent has stopped may not be found any more.
    const found = await this.#look()
    // All of the group at once: it cannot have been handed to anybody else, as its leader was not waited for yet.
    const isGroupOurs = this.#exit === null
    if (isGroupOurs) processes.signal(-this.#child.pid, 'SIGTERM')
    for (const { pid, group } of found) {
      if (!isGroupOurs || group !== this.#child.pid) processes.signal(pid, 'SIGTERM')
    }
  }

  /** Those that are left are told to stop, if they were not yet; who is there when the grace is over is killed. */
  async #endRest(deadline: number, areTold: boolean): Promise<readonly number[]> {
    const { clock, processes } = this.#outside
    const look = () => this.#look()
    const rest = await look()
    if (rest.length > 0 && clock.now() < deadline) {
      if (!areTold) for (const { pid } of rest) processes.signal(pid, 'SIGTERM')
      if (await whenGone(look, deadline, this.#outside)) return []
    }
    // Where processes cannot be seen, the group is what can be killed; where they can, it saves a race with whoever forks.
    const isGroupOurs = this.#exit === null || rest.some(({ group }) => group === this.#child.pid)
    if (isGroupOurs || !this.#isSeen) processes.signal(-this.#child.pid, 'SIGKILL')
    return rest.length === 0 ? [] : await killAll(look, this.#outside)
  }

  /** Whether the system shows processes. */
  #isSeen = true

  async #look(): Promise<readonly ProcessRow[]> {
    const { processes, logger } = this.#outside
    const rows = await processes.table(this.#child.since).catch((error: unknown) => {
      logger.error({ error }, 'The processes of a tool cannot be looked for; its group is ended')
      return null
    })
    this.#isSeen = rows !== null
    return this.#tree.among(rows ?? [])
  }
}
