import type { JobCommand, StageReport } from '../../src/core/job/commands.ts'
import { BOOTSTRAP } from '../../src/core/job/protocol.ts'
import { activeStep } from '../../src/core/job/waiting.ts'
import type { Action } from './actions.ts'
import { addressed, type SystemState } from './job-system.ts'

const ERROR = { code: 'BOOM', message: 'it broke' }

/** What stages another scheduler may come up with; more would only be more of the same. */
const STAGES = ['a', 'b']
const MOST_ATTEMPTS = 2

type Here = (label: string, command: JobCommand) => Action

/** What can be said of a job whose stages others run, that stands at a gate, or that another one took over from. */
export function stagedActions(state: SystemState, here: Here): readonly Action[] {
  const steps = state.aggregate?.steps ?? []
  return [
    ...(steps[0]?.step_id === BOOTSTRAP ? reports(state, here) : []),
    ...(steps.some(({ gate }) => gate !== null) ? openings(state, here) : []),
    ...[...state.heirs.keys()].flatMap((job_id) => onHeir(state, job_id, here)),
  ]
}

function reports(state: SystemState, here: Here): readonly Action[] {
  const says = (label: string, report: StageReport) =>
    here(`says ${label}`, { ...addressed, type: 'reportStage', report })
  const facts = { attempts: null, output_count: null, duration_ms: null, output: null }
  const again = STAGES.filter(
    (stage) =>
      (state.aggregate?.steps.find(({ step_id }) => step_id === stage)?.attempt_no ?? 0) < MOST_ATTEMPTS,
  )
  return [
    says('prepared', { what: 'prepared', pipeline_name: 'p', metadata: {} }),
    says('completed', { what: 'completed', metadata: {} }),
    says('failed between', { what: 'failed', stage: null, error: ERROR }),
    ...again.map((stage) => says(`retried ${stage}`, { what: 'retried', stage, error: null })),
    ...STAGES.flatMap((stage) => [
      says(`started ${stage}`, { what: 'started', stage }),
      says(`succeeded ${stage}`, { what: 'succeeded', stage, ...facts }),
      says(`failed ${stage}`, { what: 'failed', stage, error: ERROR }),
    ]),
  ]
}

function openings(state: SystemState, here: Here): readonly Action[] {
  const annotate = (go: boolean) =>
    here(`go ${go}`, { ...addressed, type: 'annotateJob', metadata: { go }, event: null })
  const moves = (['fetching', 'parsed'] as const).filter((document) => document !== state.document)
  const open = { ...addressed, type: 'expediteJob', priority: null, ignore: ['gate'] } as const
  return [
    annotate(true),
    annotate(false),
    here('open the gate', open),
    // Whoever waits for it is told later: `advance` may come at any time.
    ...(state.aggregate?.job.doc_id == null
      ? []
      : moves.map((document) => ({
          label: `document ${document}`,
          now: state.now,
          command: null,
          document,
        }))),
  ]
}

/** It goes its own way; what matters here is that it is one. */
function onHeir(state: SystemState, job_id: string, here: Here): readonly Action[] {
  const to = { ...addressed, job_id }
  const step = activeStep(state.heirs.get(job_id)?.steps ?? [])
  if (step === undefined) return []
  const { step_id, attempt_no, lease_id } = step
  if (lease_id === null) return [here('heir claim', { ...to, type: 'claimStep' })]
  const callback = { ...to, step_id, attempt_no, lease_id, type: 'reportResult' } as const
  return [
    here('heir succeeded', { ...callback, result: { status: 'SUCCEEDED' } }),
    here('heir failed', {
      ...callback,
      result: { status: 'FAILED', failure_class: 'NON_RETRYABLE', error: ERROR },
    }),
  ]
}
