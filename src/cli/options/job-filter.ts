import { Option } from 'commander'
import { statesOf } from '../../core/machine.ts'
import { type JobState, jobMachine } from '../../core/machines/job.ts'
import type { JobFilter } from '../../ledger/many-jobs.ts'
import { stateOf } from './states.ts'
import { timeOption } from './time-option.ts'

/** Which jobs, for commands that list them or do something to all of them. */
export interface JobFilterOptions {
  readonly state?: readonly JobState[]
  readonly type?: string
  readonly run?: string
  readonly workstream?: string
  readonly doc?: string
  readonly since?: number
  readonly until?: number
}

export function jobStateOption(): Option {
  return new Option('--state <state...>', 'only in these states; several with commas or by repeating it')
    .choices(statesOf(jobMachine))
    .argParser(jobStates)
}

export function jobTypeOption(): Option {
  return new Option('--type <type>', 'only requests of this type')
}

export function jobFilterOptions(): readonly Option[] {
  return [
    new Option('--run <id>', 'only those of this run'),
    new Option('--workstream <id>', 'only those of this workstream'),
    new Option('--doc <id>', 'only those about this document'),
    timeOption('since', 'only those that last changed at this time or later'),
    timeOption('until', 'only those that last changed before this time'),
  ]
}

export function jobFilterOf(options: JobFilterOptions): JobFilter {
  return {
    state: options.state,
    request_type: options.type,
    run_id: options.run,
    workstream_id: options.workstream,
    doc_id: options.doc,
    changedFrom: options.since,
    changedBefore: options.until,
  }
}

function jobStates(text: string, before: unknown): readonly JobState[] {
  const names = text.split(',').map((name) => name.trim())
  const states = names.filter((name) => name !== '').map((name) => stateOf(name, 'job') as JobState)
  return [...(Array.isArray(before) ? (before as JobState[]) : []), ...states]
}
