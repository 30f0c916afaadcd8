import type { z } from 'zod'
import { DEEPEST, FORBIDDEN_NAMES } from '../../core/names.ts'
import { InvalidToolJob, type ToolJobProblem } from '../../errors/tool-errors.ts'
import { frozenJson } from '../../ledger/check-input.ts'
import { toolJobSchema } from './tool-job-schema.ts'

/** A tool job as its file has it. */
export interface ToolJob {
  readonly job_id: string
  readonly run_id?: string
  readonly workstream_id: string
  readonly tool: string
  readonly command: { readonly exe: string; readonly args: readonly string[] }
  readonly env: { readonly [name: string]: string }
  readonly paths: {
    readonly repo_root: string
    /** Relative to `repo_root`, or absolute inside it; so are the other paths. */
    readonly working_dir: string
    readonly log_file: string
    readonly error_report: string
  }
  readonly metadata?: {
    /** `none`, `retry_same` or `escalate_to_<tool>`. */
    readonly retry_policy?: string
    readonly timeout_seconds?: number
    readonly max_retries?: number
    readonly message_file?: string
    readonly files_scope?: readonly string[]
    readonly [more: string]: unknown
  }
}

/** A frozen copy of what is sound. Throws one `InvalidToolJob` that names every mistake. */
export function parseToolJob(value: unknown): ToolJob {
  const impure = [...jsonProblems('', value, 0)]
  // Looked at as it was copied: what is given may answer differently the next time.
  const job = impure.length === 0 && value !== undefined ? frozenJson('job', value) : value
  const parsed = toolJobSchema.safeParse(job, { error: messageOf })
  const problems = [...impure, ...(parsed.success ? [] : problemsIn(parsed.error, impure))]
  if (problems.length > 0) throw new InvalidToolJob(problems)
  return job as ToolJob
}

/** Of a value that is not even of the right type nothing else is said. */
function problemsIn(error: z.ZodError, known: readonly ToolJobProblem[]): ToolJobProblem[] {
  const settled = new Set(known.map(({ field }) => field))
  return error.issues.flatMap((issue) => {
    const fresh = problemsOf(issue).filter(({ field }) => !settled.has(field))
    if (issue.code === 'invalid_type') for (const { field } of fresh) settled.add(field)
    return fresh
  })
}

/** What plain JSON cannot hold, and names that reach behind an object, wherever they are. */
function* jsonProblems(field: string, value: unknown, depth: number): Generator<ToolJobProblem> {
  if (value === null || value === undefined || typeof value === 'string' || typeof value === 'boolean') return
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) yield { field, message: `is ${value}, which JSON cannot hold` }
  } else if (typeof value !== 'object') {
    yield { field, message: `is of type ${typeof value}, which JSON cannot hold` }
  } else if (depth >= DEEPEST) {
    yield { field, message: `is nested deeper than ${DEEPEST} levels` }
  } else if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      if (item === undefined) yield { field: `${field}[${index}]`, message: 'is missing' }
      yield* jsonProblems(`${field}[${index}]`, item, depth + 1)
    }
  } else if (!isPlain(value)) {
    yield { field, message: 'is not a plain object' }
  } else {
    for (const [name, item] of Object.entries(value)) {
      const inner = joined(field, name)
      if (FORBIDDEN_NAMES.has(name)) yield { field: inner, message: 'is not allowed as a name' }
      else yield* jsonProblems(inner, item, depth + 1)
    }
  }
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

function problemsOf(issue: z.core.$ZodIssue): ToolJobProblem[] {
  const field = issue.path.reduce<string>(joined, '')
  if (issue.code !== 'unrecognized_keys') return [{ field, message: issue.message }]
  return issue.keys.map((name) => ({ field: joined(field, name), message: 'is not known here' }))
}

function joined(field: string, part: PropertyKey): string {
  if (typeof part === 'number') return `${field}[${part}]`
  const name = shownName(String(part))
  return field === '' ? name : `${field}.${name}`
}

const LONGEST_SHOWN_NAME = 100

/** Names come from the file: whatever is no plain name is quoted, so that it cannot pass for anything else. */
function shownName(name: string): string {
  const short = name.length > LONGEST_SHOWN_NAME ? `${name.slice(0, LONGEST_SHOWN_NAME)}…` : name
  return /^[\w.-]+…?$/.test(short) ? short : JSON.stringify(short)
}

const NAMES_OF_TYPES: { readonly [type: string]: string } = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  array: 'a list',
  object: 'an object',
  record: 'an object',
}

/** Undefined leaves it to the schema, whose own messages say what must be. */
function messageOf(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code !== 'invalid_type') return undefined
  if (issue.input === undefined) return 'is missing'
  return `must be ${NAMES_OF_TYPES[issue.expected] ?? issue.expected}`
}
