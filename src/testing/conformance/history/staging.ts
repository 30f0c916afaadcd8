import type { Command } from '../../../core/command.ts'
import type { StageReport } from '../../../core/job/commands.ts'
import { nextStates } from '../../../core/machine.ts'
import { runMachine } from '../../../core/machines/run.ts'
import { workstreamMachine } from '../../../core/machines/workstream.ts'
import { annotate, reportStage, stageDone } from '../commands.ts'
import { createGroup, eventOf, followGroup, sealGroup } from '../group-commands.ts'
import type { AnnotateIntent, CommandIntent, GroupIntent, StageIntent } from './intents.ts'
import { nameOf, type ReferenceLedger } from './reference-ledger.ts'
import { jobsIn } from './reference-reads.ts'
import { etagFor, fromEnd, type Seen, UNKNOWN_JOB } from './seen.ts'

type Staging = Extract<CommandIntent, { what: 'annotate' | 'stage' | 'group' }>

/** What is said of jobs and groups, given what is there now. */
export function stagingOf(intent: Staging, model: ReferenceLedger, seen: Seen): Command {
  switch (intent.what) {
    case 'annotate':
      return annotateOf(intent, model, seen)
    case 'stage':
      return stageOf(intent, model)
    case 'group':
      return groupOf(intent, model, seen)
  }
}

function annotateOf(
  { job: n, go, event, match }: AnnotateIntent,
  model: ReferenceLedger,
  seen: Seen,
): Command {
  const job = fromEnd(jobsIn(model), n)
  const { tenant_id = 'nobody', job_id = UNKNOWN_JOB } = job ?? {}
  return annotate(job_id, go === null ? {} : { go }, {
    tenant_id,
    event: event ? { event_type: 'seen', payload: { at: model.log.length } } : null,
    if_match: etagFor(match, job?.etag, seen, nameOf('job', tenant_id, job_id)),
  })
}

const STAGES = ['chunk', 'embed', 'index', 'store'] as const

/** Of jobs that have such stages, where there are any. */
function stageOf({ job: n, says, stage: at }: StageIntent, model: ReferenceLedger): Command {
  const jobs = jobsIn(model)
  const open = jobs.filter(({ request_type }) => request_type === 'OPEN_ENDED' || request_type === 'MIXED')
  const { tenant_id = 'nobody', job_id = UNKNOWN_JOB } = fromEnd(open, n) ?? fromEnd(jobs, n) ?? {}
  return reportStage(job_id, reportOf(says, STAGES[at] ?? STAGES[0]), { tenant_id })
}

function reportOf(says: StageReport['what'], stage: string): StageReport {
  const error = { code: 'NO_MEMORY', message: 'no more memory' }
  switch (says) {
    case 'prepared':
      return { what: says, pipeline_name: 'pdf', metadata: { pages: 3 } }
    case 'attempted':
      return { what: says }
    case 'started':
      return { what: says, stage }
    case 'retried':
      return { what: says, stage, error: null }
    case 'succeeded':
      return stageDone(stage)
    case 'failed':
      return { what: says, stage: stage === STAGES[0] ? null : stage, error }
    case 'completed':
      return { what: says, metadata: { done: true } }
  }
}

function groupOf(intent: GroupIntent, model: ReferenceLedger, seen: Seen): Command {
  const { kind, tenant: tenant_id, to, facts } = intent
  const id = `${kind}-${intent.id}`
  const before = model.get(kind, tenant_id, id)
  const if_match = etagFor(intent.match, before?.etag, seen, nameOf(kind, tenant_id, id))
  const by = { tenant_id, if_match }
  switch (to) {
    case 'create':
      return createGroup(kind, id, { ...by, run_id: kind === 'run' ? null : 'run-0' })
    case 'seal':
      return sealGroup(kind, id, by)
    case 'follow':
      return followGroup(kind, id, facts, by)
    case 'event':
      return { ...eventOf(kind, id, 'seen'), ...by }
    case 'metadata':
      return { ...eventOf(kind, id, 'seen'), metadata: { at: model.log.length }, event: null, ...by }
    case 'move': {
      const machine = kind === 'run' ? runMachine : workstreamMachine
      const next = before === null ? new Set<string>() : nextStates(machine as never, before.state as never)
      const state = [...next][0] ?? 'running'
      return { type: 'moveGroup', kind, id, state: state as 'running', actor: 'tester', reason: null, ...by }
    }
  }
}
