// One attempt at a tool job: what an earlier one left is ended, the adapter says what to run, it is run, and what came of it is
// told: to the ledger as output and metadata, to people as a log and, when it failed, a report.
import type { JsonObject } from '../../core/json.ts'
import { WaybillError } from '../../errors/waybill-error.ts'
import type { Redact } from '../../ledger/redact.ts'
import type { StepWork } from '../../runtime/handler.ts'
import { Output } from '../../wire/output.ts'
import { StepFailure } from '../../wire/step-failure.ts'
import type { GitFacts } from '../git/git-facts.ts'
import { childEnv } from '../process/child-env.ts'
import { writeErrorReport } from '../process/error-report.ts'
import { killLeftovers } from '../process/kill-leftovers.ts'
import { logMarkOf } from '../process/log-mark.ts'
import type { OutputChunk } from '../process/output-capture.ts'
import { beneathRoot, placeOf, type ToolPlace } from '../process/place-of.ts'
import { processErrorOf } from '../process/process-error.ts'
import { type ProcessOutside, runProcess } from '../process/run-process.ts'
import {
  type Adapter,
  afterCommand,
  commandsOf,
  type FinishedCommand,
  type PreparedCommand,
} from './adapter.ts'
import type { AdapterRegistry } from './adapter-registry.ts'
import { parseToolJob, type ToolJob } from './tool-job.ts'
import { timeoutMsOf } from './tool-protocol.ts'

export interface ToolWorld {
  readonly adapters: AdapterRegistry
  readonly outside: ProcessOutside
  readonly git: GitFacts
  /** The worker's own environment. */
  readonly env: { readonly [name: string]: string | undefined }
  /** What tells this ledger from others on the same machine. */
  readonly ledger: string
  readonly redact: Redact
  /** What tools print, as they do. */
  readonly onOutput?: ((chunk: OutputChunk & { readonly job_id: string }) => void) | undefined
}

/** Codes of what another try would not help. */
const FINAL: ReadonlySet<string> = new Set([
  'INVALID_TOOL_JOB',
  'INVALID_INPUT',
  'PATH_ESCAPES',
  'TOOL_NOT_FOUND',
  'UNKNOWN_ADAPTER',
])

/** Does the work of an attempt: the handler of every queue of tools. */
export async function attemptTool(work: StepWork, world: ToolWorld): Promise<Output> {
  try {
    return await new ToolAttempt(work, world).run()
  } catch (error) {
    if (!(error instanceof WaybillError)) throw error
    const failure_class = FINAL.has(error.code) ? 'NON_RETRYABLE' : 'RETRYABLE'
    throw new StepFailure(error.message, { code: error.code, failure_class, cause: error })
  }
}

class ToolAttempt {
  readonly #work: StepWork
  readonly #world: ToolWorld
  readonly #job: ToolJob
  readonly #adapter: Adapter

  constructor(work: StepWork, world: ToolWorld) {
    this.#work = work
    this.#world = world
    this.#job = parseToolJob({ ...(work.input as object), job_id: work.job.job_id })
    this.#adapter = world.adapters.adapterFor(this.#job.tool)
  }

  async run(): Promise<Output> {
    const { outside, git, ledger } = this.#world
    // Its paths are absolute already: nothing is relative to where this worker happens to be.
    const place = await placeOf(this.#job, { files: outside.files, base: '/' })
    await killLeftovers({ jobId: this.#job.job_id, ledger }, outside)
    const before = await git.stateOf(place.workingDir)
    const startedAt = outside.clock.now()
    const { done, argv } = await this.#runAll(place).catch((error: unknown) =>
      this.#notRun(place, startedAt, error),
    )
    const own = [place.logFile, place.errorReport]
    const touched = await git.touchedFiles(place.workingDir, before, own)
    const metadata: JsonObject = {
      ...this.#adapter.report?.(this.#job, done),
      exit_code: done.exitCode,
      signal: done.signal,
      duration_s: done.durationMs / 1000,
      commit_before: touched.commit_before,
      commit_after: touched.commit_after,
      touched_files: touched.files,
      ...(touched.truncated ? { touched_truncated: true } : null),
    }
    if (done.status === 'completed') return new Output(metadata, undefined, { metadata })
    const timeoutMs = timeoutMsOf(this.#job, this.#world.adapters)
    const error = processErrorOf(done, timeoutMs) ?? { code: 'TOOL_FAILED', message: 'It did not complete' }
    await this.#report(place, done, { argv, startedAt, error })
    throw new StepFailure(error.message, { code: error.code, metadata })
  }

  /** Nothing was run: that is reported like any other failure, for those who look for a report. */
  async #notRun(place: ToolPlace, startedAt: number, error: unknown): Promise<never> {
    if (error instanceof WaybillError) {
      const { exe, args } = this.#job.command
      const { code, message } = error
      await this.#report(place, NOT_RUN, { argv: [exe, ...args], startedAt, error: { code, message } })
    }
    throw error
  }

  /** One after the other, for as long as they go well and there is time. */
  async #runAll(
    place: ToolPlace,
  ): Promise<{ readonly done: FinishedCommand; readonly argv: readonly string[] }> {
    const commands = commandsOf(this.#adapter, this.#job, place)
    let left = timeoutMsOf(this.#job, this.#world.adapters)
    let all: FinishedCommand | null = null
    for (const [index, command] of commands.entries()) {
      const done: FinishedCommand = await this.#runOne(place, command, left)
      left -= done.durationMs
      all = all === null ? done : after(all, done)
      const argv = [command.exe, ...command.args]
      const ended = done.status === 'timeout' || done.status === 'cancelled' || done.signal !== null
      const next = ended ? 'failed' : afterCommand(command, done.exitCode, index === commands.length - 1)
      if (next === 'completed') return { done: { ...all, status: 'completed', exitCode: 0 }, argv }
      if (next === 'failed') return { done: ended ? all : { ...all, status: 'failed' }, argv }
    }
    throw new Error(`The adapter of ${this.#job.tool} prepared no command`)
  }

  async #runOne(place: ToolPlace, command: PreparedCommand, timeoutMs: number): Promise<FinishedCommand> {
    const { outside, env, ledger, onOutput } = this.#world
    const { job_id } = this.#job
    const { job, step, signal } = this.#work
    return runProcess(
      {
        exe: command.exe,
        args: command.args,
        cwd: place.workingDir,
        env: childEnv({
          own: env,
          passEnv: this.#adapter.passEnv,
          job: this.#job.env,
          prepared: command.env,
          jobId: job_id,
          attempt: step.attempt_no,
          ledger,
        }),
        stdinFile: command.stdinFile,
        logFile: beneathRoot(place, place.logFile),
        logMark: logMarkOf({ ledger, tenant_id: job.tenant_id, job_id }),
        attempt: step.attempt_no,
        timeoutMs: Math.max(1, timeoutMs),
        signal,
        onOutput: onOutput === undefined ? undefined : (chunk) => onOutput({ ...chunk, job_id }),
      },
      outside,
    )
  }

  async #report(place: ToolPlace, done: FinishedCommand, facts: ReportFacts): Promise<void> {
    const { outside, redact } = this.#world
    const failed = {
      job: this.#job,
      place,
      attempt: this.#work.step.attempt_no,
      status: done.status,
      exitCode: done.exitCode,
      signal: done.signal,
      startedAt: facts.startedAt,
      endedAt: outside.clock.now(),
      argv: facts.argv,
      error: facts.error,
      tail: done.tail,
    }
    await writeErrorReport(failed, { files: outside.files, redact })
  }
}

const NOT_RUN: FinishedCommand = {
  exitCode: null,
  signal: null,
  status: 'failed',
  head: '',
  tail: '',
  durationMs: 0,
}

interface ReportFacts {
  readonly argv: readonly string[]
  readonly startedAt: number
  readonly error: { readonly code: string; readonly message: string }
}

/** Several commands are told as one. */
function after(before: FinishedCommand, last: FinishedCommand): FinishedCommand {
  return {
    ...last,
    head: before.head + last.head,
    tail: before.tail + last.tail,
    durationMs: before.durationMs + last.durationMs,
  }
}
