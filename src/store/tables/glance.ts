import type { JobAggregate } from '../../core/aggregate.ts'
import { Birth } from '../../core/job/birth.ts'
import type { JobRecord } from '../../core/job/record.ts'
import { isAlike, Stride } from '../../core/job/stride.ts'
import { isTerminal } from '../../core/machine.ts'
import { jobMachine } from '../../core/machines/job.ts'
import type { Work } from '../live/work-index.ts'
import { changedAt } from '../query.ts'

// What is seen of a job at a glance. Of those that are alike nobody makes the records for it.

/** By what it is found. */
export function workOf(job: JobAggregate): Work {
  return isAlike(job) ? job : job.job
}

/** Epoch milliseconds. */
export function changedAtOf(job: JobAggregate): number {
  return isAlike(job) ? job.now : changedAt(job.job)
}

export function stateOf(job: JobAggregate): JobRecord['state'] {
  if (job instanceof Stride) return job.leg.job.state
  return job instanceof Birth ? job.form.job.state : job.job.state
}

export function hasEnded(job: JobAggregate): boolean {
  return isTerminal(jobMachine, stateOf(job))
}
