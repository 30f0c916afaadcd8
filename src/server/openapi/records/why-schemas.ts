import { z } from 'zod'
import type { Why, WhyStep } from '../../../core/job/why.ts'
import type { Cause, Does, Unblock } from '../../../core/job/why-cause.ts'
import { statesOf } from '../../../core/machine.ts'
import { jobMachine } from '../../../core/machines/job.ts'
import { stepMachine } from '../../../core/machines/step.ts'
import { at, count, id, jsonObject } from './field-schemas.ts'
import { schemaFor } from './schema-for.ts'

const doesSchema = schemaFor<Does>()(
  z.union([
    z.strictObject({
      verb: z.literal('expedite'),
      tenant_id: id,
      job_id: id,
      ignore: z.enum(['dependencies', 'limits', 'attempt', 'gate']).nullable(),
      priority: z.literal('critical').nullable().describe('The priority that it is given, if any'),
    }),
    z.strictObject({ verb: z.literal('resume_queue'), queue: id }),
    z.strictObject({
      verb: z.enum(['again', 'cancel', 'annotate', 'look']),
      tenant_id: id,
      job_id: id,
    }),
  ]),
).meta({ id: 'Does', description: 'The same as a call; `look` is at what keeps another job' })

const unblockSchema = schemaFor<Unblock>()(
  z.strictObject({
    command: z.string(),
    effect: z.string(),
    does: doesSchema.nullable().describe('Null when only somebody elsewhere can do it'),
  }),
).meta({ id: 'Unblock', description: 'What would get it moving' })

export const causeSchema = schemaFor<Cause>()(
  z.strictObject({
    cause: z.enum([
      'gate',
      'dependency',
      'delay',
      'backoff',
      'paused',
      'limit',
      'rate',
      'turn',
      'worker',
      'dispatcher',
      'publishing',
      'publish_backoff',
      'ack',
      'lease',
      'external',
      'cancelling',
      'timer',
      'ended',
    ]),
    message: z.string(),
    until: at
      .nullable()
      .describe('When it ends by itself; null when only somebody can end it, or nobody knows'),
    details: jsonObject,
    unblock: unblockSchema.nullable(),
  }),
).meta({ id: 'Cause' })

const whyStepSchema = schemaFor<WhyStep>()(
  z.strictObject({
    step_id: id,
    step_index: count,
    steps: count.describe('How many steps the job has'),
    state: z.enum(statesOf(stepMachine)),
    attempt_no: count,
    attempts_left: z.int(),
  }),
).meta({ id: 'WhyStep' })

const jobState = z.enum(statesOf(jobMachine))

export const whySchema = schemaFor<Why>()(
  z.strictObject({
    tenant_id: id,
    job_id: id,
    state: jobState,
    causes: z.array(causeSchema).describe('What has to happen first comes first; there is always one'),
    step: whyStepSchema.nullable(),
    next_states: z.array(jobState),
  }),
).meta({ id: 'Why' })
