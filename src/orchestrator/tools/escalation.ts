// What becomes of a job that its tool could not do: another tool gets it, and at last a person.
//
// The ladder of a job is the list of who gets it next. `escalate_to_codex` is the short way to write ["codex", "human"]:
// where nothing else is said, a job that the last tool failed at waits for a person rather than being given up.
// `metadata.escalation` is the long way, and is taken as it is.

import { createHash } from 'node:crypto'
import { posix } from 'node:path'
import { HUMAN } from '../../core/job/tool-service.ts'
import { InvalidInput } from '../../errors/input-errors.ts'
import type { AdapterRegistry } from './adapter-registry.ts'
import type { ToolJob } from './tool-job.ts'

const ESCALATE_TO = 'escalate_to_'

const MOST_RUNGS = 10

/** Longest part of a file name that is made of an id. */
const LONGEST_SUFFIX = 80

/** Who gets the job after its own tool, in order; empty when nobody does. */
export function ladderOf(job: ToolJob, adapters: AdapterRegistry): readonly string[] {
  const { field, rungs } = rungsOf(job)
  for (const [index, rung] of rungs.entries()) {
    const problem = rungProblem(job, adapters, rungs, index)
    if (problem === null) continue
    const known = adapters.tools.filter((tool) => adapters.adapterFor(tool).takesOver !== undefined)
    const next = problem.next ?? `A job can be handed to: ${[...known, HUMAN].join(', ')}.`
    throw new InvalidInput(problem.field ?? field, `${rung} ${problem.what}`, next)
  }
  return rungs
}

interface Rungs {
  readonly field: string
  readonly rungs: readonly string[]
}

function rungsOf({ metadata = {} }: ToolJob): Rungs {
  const { retry_policy: policy = '', escalation } = metadata
  const first = policy.startsWith(ESCALATE_TO) ? policy.slice(ESCALATE_TO.length) : null
  if (escalation === undefined) {
    const rungs = first === null ? [] : first === HUMAN ? [HUMAN] : [first, HUMAN]
    return { field: 'metadata.retry_policy', rungs }
  }
  const field = 'metadata.escalation'
  if (!isList(escalation)) {
    const what = `${field} must be a list of at most ${MOST_RUNGS} tools`
    throw new InvalidInput(field, what, 'Name them in order: ["codex", "human"].')
  }
  const contradicts = policy === 'none' ? escalation.length > 0 : first !== null && first !== escalation[0]
  if (contradicts) {
    const what = `${field} begins with ${escalation[0] ?? 'nobody'}, and retry_policy is ${policy}`
    throw new InvalidInput(field, what, 'Leave one of them out, or let them say the same.')
  }
  return { field, rungs: escalation }
}

function isList(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.length <= MOST_RUNGS && value.every((item) => typeof item === 'string')
}

interface RungProblem {
  readonly what: string
  readonly field?: string
  readonly next?: string
}

function rungProblem(
  job: ToolJob,
  adapters: AdapterRegistry,
  rungs: readonly string[],
  index: number,
): RungProblem | null {
  const rung = rungs[index] ?? ''
  if (rung === HUMAN) return index === rungs.length - 1 ? null : { what: 'is not the last, and never ends' }
  if (rung === job.tool || rungs.indexOf(rung) < index) return { what: 'would get the job a second time' }
  if (!adapters.has(rung)) return { what: 'is no tool that is known' }
  const { takesOver } = adapters.adapterFor(rung)
  if (takesOver === undefined)
    return { what: 'cannot take over a job: it only does what its own command says' }
  if (takesOver.needsMessage && job.metadata?.message_file === undefined) {
    const next = 'Put the instructions into a file in the repository: that is all that another tool can read.'
    return { what: 'cannot take over a job without a message', field: 'metadata.message_file', next }
  }
  return null
}

export interface Escalation {
  readonly job: ToolJob
  /** A tool, or `human`. */
  readonly to: string
  readonly reason: string
  readonly new_job_id: string
}

/**
 * The job as another tool gets it: the same work in the same place, with files of its own for what is written about it.
 * It is linked to the job it comes from, and to the first of the chain.
 */
export function escalatedJob(
  { job, to, reason, new_job_id }: Escalation,
  adapters: AdapterRegistry,
): ToolJob {
  const { retry_policy: _policy, escalation: _ladder, ...metadata } = job.metadata ?? {}
  const ladder = ladderOf(job, adapters)
  const rest = ladder.slice(ladder.indexOf(to) + 1)
  return {
    ...job,
    job_id: new_job_id,
    tool: to,
    command: commandOf(to, adapters),
    paths: {
      ...job.paths,
      log_file: ownFile(job.paths.log_file, job.job_id, new_job_id),
      error_report: ownFile(job.paths.error_report, job.job_id, new_job_id),
    },
    metadata: {
      ...metadata,
      retry_policy: rest[0] === undefined ? 'none' : `${ESCALATE_TO}${rest[0]}`,
      escalation: rest,
      original_job_id: metadata.original_job_id ?? job.job_id,
      escalated_from: job.job_id,
      escalated_from_tool: job.tool,
      escalation_reason: reason,
    },
  }
}

function commandOf(to: string, adapters: AdapterRegistry): ToolJob['command'] {
  if (to === HUMAN) return { exe: HUMAN, args: [] }
  const { takesOver } = adapters.adapterFor(to)
  if (takesOver !== undefined) return takesOver.command
  throw new InvalidInput('to', `${to} cannot take over a job`, `Hand it to ${HUMAN}, or to a tool that can.`)
}

/** `logs/a.log` of job j1 is `logs/a.j2.log` for j2, and `logs/a.j3.log` for the one after. */
function ownFile(file: string, from: string, to: string): string {
  const { dir, name, ext } = posix.parse(file)
  const earlier = `.${suffixOf(from)}`
  const base = name.endsWith(earlier) ? name.slice(0, -earlier.length) : name
  return posix.join(dir, `${base}.${suffixOf(to)}${ext}`)
}

function suffixOf(id: string): string {
  const safe = encodeURIComponent(id)
  return safe.length <= LONGEST_SUFFIX ? safe : createHash('sha256').update(id).digest('hex').slice(0, 32)
}
