import { z } from 'zod'
import type { Board, BoardCard, BoardJobs, BoardLane, BoardMove } from '../../../core/group/board.ts'
import { LANES } from '../../../core/group/lane.ts'
import { JOB_ACTIONS, type JobAction } from '../../../core/job/actions.ts'
import type { AttemptsTold, AttemptTold } from '../../../core/job/attempts-told.ts'
import { statesOf } from '../../../core/machine.ts'
import { jobMachine } from '../../../core/machines/job.ts'
import { stepMachine } from '../../../core/machines/step.ts'
import { workstreamMachine } from '../../../core/machines/workstream.ts'
import type { JobBrief, Related } from '../../../ledger/related.ts'
import { SEARCHED_KINDS, type SearchHit, type SearchResult } from '../../../ledger/search.ts'
import { at, count, etag, id } from './field-schemas.ts'
import { schemaFor } from './schema-for.ts'

const jobActionSchema = schemaFor<JobAction>()(
  z.strictObject({
    action: z.enum(JOB_ACTIONS),
    allowed: z.boolean().describe('It would be done, and would change something'),
    why_not: z.string().nullable(),
    next: z.string().nullable().describe('What to do instead'),
    about: z.string(),
    from_steps: z.array(id).describe('The steps that the new job may begin with; only `again` has any'),
  }),
).meta({ id: 'JobAction' })

export const jobActionsSchema = z.strictObject({ items: z.array(jobActionSchema) })

const jobBriefSchema = schemaFor<JobBrief>()(
  z.strictObject({
    tenant_id: id,
    job_id: id,
    state: z.enum(statesOf(jobMachine)).nullable(),
    request_type: z.string().nullable(),
    current_step_id: id.nullable(),
    updated_at: at.nullable(),
    exists: z.boolean().describe('False for one that is gone: only its name is known'),
  }),
).meta({ id: 'JobBrief' })

const briefs = z.array(jobBriefSchema)

export const relatedSchema = schemaFor<Related>()(
  z.strictObject({
    depends_on: briefs,
    dependants: briefs,
    dependants_is_more: z.boolean().describe('Not all jobs were looked at, or not all are told'),
    again_of: jobBriefSchema.nullable(),
    again: briefs,
    escalated_from: jobBriefSchema.nullable(),
    escalated_to: jobBriefSchema.nullable(),
    chain: briefs.describe('Every job of its escalation, itself among them'),
    same_document: briefs.describe('The newest others with its document'),
  }),
).meta({ id: 'Related' })

const attemptSchema = schemaFor<AttemptTold>()(
  z.strictObject({
    step_id: id,
    step_index: count,
    attempt_no: count,
    dispatched_at: at,
    sent_at: at.nullable(),
    acked_at: at.nullable(),
    ended_at: at.nullable(),
    outcome: z.enum(statesOf(stepMachine)).nullable().describe('The state that it ended in'),
    holder: z.string().nullable(),
    error_code: z.string().nullable(),
    error_message: z.string().nullable(),
    retry_at: at.nullable().describe('When the next one started, or is to'),
  }),
).meta({ id: 'AttemptTold' })

export const attemptsSchema = schemaFor<AttemptsTold>()(
  z.strictObject({
    items: z.array(attemptSchema),
    is_complete: z.boolean().describe('None is missing'),
  }),
).meta({ id: 'AttemptsTold' })

const lane = z.enum(LANES)
const workstreamState = z.enum(statesOf(workstreamMachine))

const boardMoveSchema = schemaFor<BoardMove>()(
  z.strictObject({
    lane,
    state: workstreamState.nullable().describe('The state that it would be given'),
    allowed: z.boolean(),
    why_not: z.string().nullable(),
  }),
).meta({ id: 'BoardMove' })

const boardJobsSchema = schemaFor<BoardJobs>()(
  z.strictObject({
    open: count,
    succeeded: count,
    failed: count,
    cancelled: count,
    is_more: z.boolean().describe('There are more than were counted'),
  }),
).meta({ id: 'BoardJobs' })

const boardCardSchema = schemaFor<BoardCard>()(
  z.strictObject({
    tenant_id: id,
    workstream_id: id,
    run_id: id.nullable(),
    state: workstreamState,
    since: at,
    etag,
    lane,
    lane_reason: z.string(),
    jobs: boardJobsSchema,
    failing_job: jobBriefSchema.nullable().describe('The one being put right, or the last that failed'),
    moves: z.array(boardMoveSchema).describe('What putting it into each of the other lanes comes to'),
  }),
).meta({ id: 'BoardCard' })

const boardLaneSchema = schemaFor<BoardLane>()(
  z.strictObject({
    lane,
    about: z.string(),
    items: z.array(boardCardSchema),
    is_more: z.boolean().describe('There are more than are shown'),
  }),
).meta({ id: 'BoardLane' })

export const boardSchema = schemaFor<Board>()(z.strictObject({ lanes: z.array(boardLaneSchema) })).meta({
  id: 'Board',
})

const searchHitSchema = schemaFor<SearchHit>()(
  z.strictObject({
    kind: z.enum(SEARCHED_KINDS),
    tenant_id: id,
    id,
    state: z.string(),
    title: z.string(),
  }),
).meta({ id: 'SearchHit' })

export const searchResultSchema = schemaFor<SearchResult>()(
  z.strictObject({
    items: z.array(searchHitSchema),
    is_more: z.boolean().describe('There are more, or not everything was looked at'),
  }),
).meta({ id: 'SearchResult' })
