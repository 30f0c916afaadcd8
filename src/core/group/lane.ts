// Where a workstream stands on a board, and what may be done with it there. The lanes are made of its states; which moves
// there are is asked of the decision itself.
import type { JobAggregate } from '../aggregate.ts'
import { isNothing } from '../decision.ts'
import { activeStep } from '../job/waiting.ts'
import type { WorkstreamState } from '../machines/workstream.ts'
import { onlyAsked } from '../only-asked.ts'
import { decideGroup } from './decide.ts'
import type { WorkstreamRecord } from './workstream-record.ts'

export const LANES = ['waiting', 'running', 'fixing', 'quarantine', 'completed'] as const

export type Lane = (typeof LANES)[number]

interface LaneSpec {
  readonly about: string
  /** The states of those that are in it. */
  readonly states: readonly WorkstreamState[]
  /** What somebody says of a workstream by putting it there: the first of these that is possible. */
  readonly says: readonly WorkstreamState[]
}

export const LANE_SPECS: { readonly [lane in Lane]: LaneSpec } = {
  waiting: { about: 'Nothing has begun yet', states: ['pending', 'ready', 'blocked'], says: ['ready'] },
  running: { about: 'Its jobs are being worked on', states: ['running'], says: ['running'] },
  fixing: { about: 'One of its jobs failed, and is being tried again', states: ['running'], says: [] },
  quarantine: { about: 'A job failed for good: somebody has to look', states: ['failed'], says: ['failed'] },
  completed: {
    about: 'Done, or deliberately left out',
    states: ['succeeded', 'skipped'],
    says: ['succeeded', 'skipped'],
  },
}

/** What putting a card into a lane comes to: the state to be set, or why there is none. */
export interface BoardMove {
  readonly lane: Lane
  readonly state: WorkstreamState | null
  readonly allowed: boolean
  readonly why_not: string | null
}

/** How one of its open jobs is being put right; null when it simply goes on. */
export function fixOf({ job, steps }: JobAggregate): string | null {
  const from = job.escalation?.escalated_from ?? null
  if (from !== null) return `Job ${job.job_id} took over from ${from}, which failed`
  const step = activeStep(steps)
  if (step === undefined) return null
  const { step_id, attempt_no, state, retry_at } = step
  if (state === 'FAILED_RETRY') return `Step ${step_id} of job ${job.job_id} is tried again at ${retry_at}`
  return attempt_no > 1 ? `Step ${step_id} of job ${job.job_id} is at attempt ${attempt_no}` : null
}

/** `fix` says how one of its open jobs is being put right, if any is. */
export function laneOf(
  { state, state_since, sealed }: WorkstreamRecord,
  fix: string | null,
): { readonly lane: Lane; readonly lane_reason: string } {
  if (state === 'running' && fix !== null) return { lane: 'fixing', lane_reason: fix }
  const lane = LANES.find((one) => LANE_SPECS[one].states.includes(state)) as Lane
  const more = state === 'running' && !sealed ? ', and more jobs may come' : ''
  return { lane, lane_reason: `It is ${state} since ${state_since}${more}` }
}

/** What putting it into each of the other lanes would come to. */
export function movesFrom(workstream: WorkstreamRecord, lane: Lane, now: number): readonly BoardMove[] {
  return LANES.filter((other) => other !== lane).map((other) => moveTo(workstream, other, now))
}

const BY_JOBS = 'Its jobs say so: it is here while one of them is being tried again'

function moveTo(workstream: WorkstreamRecord, lane: Lane, now: number): BoardMove {
  const answers = LANE_SPECS[lane].says.map((state) => ({ state, why_not: whyNot(workstream, state, now) }))
  const possible = answers.find(({ why_not }) => why_not === null)
  if (possible !== undefined) return { lane, state: possible.state, allowed: true, why_not: null }
  return { lane, state: null, allowed: false, why_not: answers[0]?.why_not ?? BY_JOBS }
}

/** Null when it would be done, and change something. */
function whyNot(workstream: WorkstreamRecord, state: WorkstreamState, now: number): string | null {
  const { kind, tenant_id, workstream_id: id } = workstream
  const command = { type: 'moveGroup', kind, tenant_id, id, state, actor: '', reason: null } as const
  const decision = decideGroup(
    command,
    onlyAsked(now, () => workstream as never),
  )
  if (decision.kind === 'refusal') return decision.refusal.message
  const isDone = decision.kind === 'change' && !isNothing(decision.change)
  return isDone ? null : `It is ${workstream.state} already`
}
