import { WaybillError } from './waybill-error.ts'

export interface ToolJobProblem {
  readonly field: string
  readonly message: string
}

/** More are counted, not listed. */
const MOST_PROBLEMS = 1000

/** A tool job is not what one has to be. All that is wrong with it is said at once; nothing was run or written. */
export class InvalidToolJob extends WaybillError {
  constructor(problems: readonly ToolJobProblem[], { cause }: ErrorOptions = {}) {
    const listed = problems.slice(0, MOST_PROBLEMS).map(({ field, message }) => ({ field, message }))
    const more = problems.length - listed.length
    const lines = listed.map(({ field, message }) => (field === '' ? message : `${field} ${message}`))
    if (more > 0) lines.push(`and ${more} more`)
    super({
      code: 'INVALID_TOOL_JOB',
      field: problems[0]?.field,
      message: `The tool job has ${problems.length === 1 ? 'a mistake' : `${problems.length} mistakes`}: ${lines.join('; ')}`,
      next: 'Correct it; schemas/tool-job.schema.json says what a job file holds, and schemas/aider-job.example.json is one.',
      details: { problems: listed },
      cause,
    })
  }
}

/** A path of a tool job leads to where the job has no business. Nothing was run or written. */
export class PathEscapes extends WaybillError {
  constructor(field: string, path: string, why: string, { cause }: ErrorOptions = {}) {
    super({
      code: 'PATH_ESCAPES',
      field,
      message: `${field} ${JSON.stringify(path)} ${why}`,
      next: 'Give a plain path inside the repository of the job, relative to paths.repo_root.',
      details: { path },
      cause,
    })
  }
}

/** What a tool job is to run is not there, or cannot be run. */
export class ToolNotFound extends WaybillError {
  constructor(exe: string, why: string, searched: readonly string[] = []) {
    super({
      code: 'TOOL_NOT_FOUND',
      field: 'command.exe',
      message: `${JSON.stringify(exe)} ${why}`,
      next:
        searched.length > 0
          ? `Install it where the worker finds it, in one of: ${searched.join(', ')}; or give its absolute path.`
          : 'Install it, or correct the path; it must be a file that the worker may execute.',
      details: { exe, searched },
    })
  }
}

/** The tool is there, and the system did not start it. */
export class ToolNotStarted extends WaybillError {
  constructor(exe: string, why: string, { cause }: ErrorOptions = {}) {
    super({
      code: 'TOOL_NOT_STARTED',
      message: `${JSON.stringify(exe)} could not be started: ${why}`,
      next: 'See to the cause; the job can then be run again as it is.',
      details: { exe },
      cause,
    })
  }
}
