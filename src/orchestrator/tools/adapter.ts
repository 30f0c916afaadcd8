import type { JsonObject } from '../../core/json.ts'
import type { ToolJob } from './tool-job.ts'

/** How one kind of tool is run. Pure: it says what to run, and reads what came of it. */
export interface Adapter {
  /** What a job's `tool` calls it. */
  readonly tool: string
  readonly defaultTimeoutSeconds: number
  /** Variables of the worker's own environment that the tool gets as well: keys of APIs, mostly. */
  readonly passEnv: readonly string[]
  /** How it takes over a job that another tool could not do; a tool without this is no rung of an escalation. */
  readonly takesOver?: TakesOver
  /** What to run, in order. Throws INVALID_INPUT with the field when the job cannot be run so. */
  prepare(job: ToolJob, place: JobPlace): PreparedCommand | readonly PreparedCommand[]
  /** What the ledger is to know of it, beside the exit code: totals of tests, say. */
  report?(job: ToolJob, done: FinishedCommand): JsonObject
}

/** Absolute, real paths, checked to be inside the repository. */
export interface JobPlace {
  readonly repoRoot: string
  readonly workingDir: string
  readonly messageFile: string | null
  readonly filesScope: readonly string[]
}

export interface PreparedCommand {
  readonly exe: string
  readonly args: readonly string[]
  /** Laid over the job's own. */
  readonly env?: { readonly [name: string]: string }
  /** Without one, stdin is empty. */
  readonly stdinFile?: string
  /** Exit codes after which the list goes on; only 0 unless said. */
  readonly goesOnAt?: readonly number[]
  /** Exit codes at which the list ends in good order and the rest is left out. */
  readonly endsAt?: readonly number[]
}

export interface FinishedCommand {
  readonly exitCode: number | null
  readonly signal: string | null
  readonly status: 'completed' | 'failed' | 'timeout' | 'cancelled'
  /** The last part of what it printed, both streams interleaved, bounded. */
  readonly tail: string
  /** The first part, bounded likewise; the same text when all of it fits. */
  readonly head: string
  readonly durationMs: number
}

export interface TakesOver {
  readonly command: ToolJob['command']
  /** Whether it can do nothing without `metadata.message_file`. */
  readonly needsMessage: boolean
}

/** The commands of a job as a list, whether there is one or several. */
export function commandsOf(adapter: Adapter, job: ToolJob, place: JobPlace): readonly PreparedCommand[] {
  const prepared = adapter.prepare(job, place)
  return 'exe' in prepared ? [prepared] : prepared
}

/** What an exit code means for the list that the command is part of. */
export function afterCommand(
  { goesOnAt = [0], endsAt = [] }: PreparedCommand,
  exitCode: number | null,
  isLast: boolean,
): 'next' | 'completed' | 'failed' {
  if (exitCode === null) return 'failed'
  if (endsAt.includes(exitCode)) return 'completed'
  if (!goesOnAt.includes(exitCode)) return 'failed'
  return isLast ? 'completed' : 'next'
}

/** The settings that a job does not make itself: what its file says goes before what an adapter thinks best. */
export function unlessSet(
  { env }: ToolJob,
  settings: { readonly [name: string]: string },
): { readonly [name: string]: string } {
  return Object.fromEntries(Object.entries(settings).filter(([name]) => !Object.hasOwn(env, name)))
}
