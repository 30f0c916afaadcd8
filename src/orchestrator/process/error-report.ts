import { toIso } from '../../core/time.ts'
import { PathEscapes } from '../../errors/tool-errors.ts'
import { type Redact, redactText } from '../../ledger/redact.ts'
import { type FileSystem, NotPlain } from '../../world/file-system.ts'
import type { ToolJob } from '../tools/tool-job.ts'
import { beneathRoot, type ToolPlace } from './place-of.ts'
import { redactArgv } from './redact-argv.ts'

/** What an attempt that did not complete leaves for people and programs to read. */
export interface ErrorReport {
  readonly job_id: string
  readonly run_id: string | null
  readonly workstream_id: string
  readonly tool: string
  readonly attempt: number
  readonly status: string
  readonly exit_code: number | null
  readonly signal: string | null
  readonly started_at: string
  readonly ended_at: string
  readonly duration_s: number
  readonly argv: readonly string[]
  readonly cwd: string
  readonly error: { readonly code: string; readonly message: string }
  /** The last part of what it printed. */
  readonly tail: string
  readonly log_file: string
}

export interface FailedAttempt {
  readonly job: ToolJob
  readonly place: ToolPlace
  readonly attempt: number
  readonly status: string
  readonly exitCode: number | null
  readonly signal: string | null
  /** Epoch milliseconds. */
  readonly startedAt: number
  readonly endedAt: number
  /** What was run; what was to be run, when it could not be. */
  readonly argv: readonly string[]
  readonly error: { readonly code: string; readonly message: string }
  readonly tail: string
}

function errorReportOf(failed: FailedAttempt, redact: Redact = redactText): ErrorReport {
  const { job, place, attempt, status, exitCode, signal, startedAt, endedAt, argv, error, tail } = failed
  return {
    job_id: job.job_id,
    run_id: job.run_id ?? null,
    workstream_id: job.workstream_id,
    tool: job.tool,
    attempt,
    status,
    exit_code: exitCode,
    signal,
    started_at: toIso(startedAt),
    ended_at: toIso(endedAt),
    duration_s: (endedAt - startedAt) / 1000,
    argv: redactArgv(argv, redact),
    cwd: place.workingDir,
    error: { code: error.code, message: redact(error.message) },
    tail: redact(tail),
    log_file: place.logFile,
  }
}

/** Writes it where the job wants it: whole or not at all, and through no link. The last attempt's is what is there. */
export async function writeErrorReport(
  failed: FailedAttempt,
  { files, redact = redactText }: { readonly files: FileSystem; readonly redact?: Redact },
): Promise<void> {
  const text = `${JSON.stringify(errorReportOf(failed, redact), null, 2)}\n`
  const place = beneathRoot(failed.place, failed.place.errorReport)
  await files.writeBeneath(place, Buffer.from(text)).catch((cause: unknown) => {
    if (cause instanceof NotPlain)
      throw new PathEscapes('paths.error_report', place.path, cause.message, { cause })
    throw cause
  })
}
