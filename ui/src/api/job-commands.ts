// Steering jobs.
import type { Obstacle } from '../../../src/core/job/commands.ts'
import type { Does } from '../../../src/core/job/why-cause.ts'
import type { ManyReport, MatchCount } from '../../../src/ledger/many-jobs.ts'
import { ask, path } from './client.ts'
import type { JobName } from './jobs.ts'

type Verb = 'cancel' | 'again' | 'expedite' | 'annotate'

function command<T>(job: JobName, verb: Verb, reason: string, body?: unknown): Promise<T> {
  return ask<T>(path(`/v1/jobs/{}:${verb}`, job.id), {
    method: 'POST',
    query: { tenant_id: job.tenant, reason },
    body,
  })
}

export function cancelJob(job: JobName, reason: string): Promise<unknown> {
  return command(job, 'cancel', reason)
}

/** Answers with the id of the new job. */
export async function runAgain(job: JobName, reason: string, from_step?: string): Promise<string> {
  const body = from_step === undefined || from_step === '' ? {} : { from_step }
  const { jobId } = await command<{ readonly jobId: string }>(job, 'again', reason, body)
  return jobId
}

export interface Expediting {
  readonly priority?: string
  readonly ignore?: readonly Obstacle[]
}

export function expediteJob(job: JobName, reason: string, how: Expediting): Promise<unknown> {
  return command(job, 'expedite', reason, how)
}

export function annotateJob(
  job: JobName,
  reason: string,
  metadata: { readonly [name: string]: unknown },
): Promise<unknown> {
  return command(job, 'annotate', reason, { metadata })
}

function resumeQueue(queue: string, reason: string): Promise<unknown> {
  return ask(path('/v1/queues/{}:resume', queue), { method: 'POST', query: { reason } })
}

/** What keeps a job, ended by a call instead of its command; null when a person has to look or say something first. */
export function callFor(does: Does): ((reason: string) => Promise<unknown>) | null {
  if (does.verb === 'resume_queue') return (reason) => resumeQueue(does.queue, reason)
  const job = { tenant: does.tenant_id, id: does.job_id }
  if (does.verb === 'cancel') return (reason) => cancelJob(job, reason)
  if (does.verb !== 'expedite') return null
  const how = {
    ...(does.ignore === null ? null : { ignore: [does.ignore] }),
    ...(does.priority === null ? null : { priority: does.priority }),
  }
  return (reason) => expediteJob(job, reason, how)
}

/** What the server finds many jobs by. */
export type ManyFilter = { readonly [name: string]: string | readonly string[] }

interface Many {
  readonly tenant: string
  readonly verb: 'cancel' | 'again'
  readonly filter: ManyFilter
}

export function countMany({ tenant, verb, filter }: Many): Promise<MatchCount> {
  return ask(`/v1/jobs:${verb}`, { method: 'POST', query: { tenant_id: tenant }, body: { filter } })
}

/** Nothing is done when there are more than expected by now. */
export function doToMany(
  { tenant, verb, filter }: Many,
  expect: number,
  reason: string,
): Promise<ManyReport> {
  const query = { tenant_id: tenant, reason }
  return ask(`/v1/jobs:${verb}`, { method: 'POST', query, body: { filter, expect } })
}
