import { z } from 'zod'
import type { Backoff } from '../../../core/backoff.ts'
import type { Limit, Protocol, ProtocolStep, Rate, StepPolicy } from '../../../core/job/protocol.ts'
import { statesOf } from '../../../core/machine.ts'
import { documentMachine } from '../../../core/machines/document.ts'
import type { BreakerPolicy } from '../../../core/pipeline/breaker.ts'
import { type Clause, type Condition, GATE_OPS, type Gate } from '../../../core/pipeline/gate.ts'
import type { StageDocument } from '../../../core/pipeline/stage-document.ts'
import { id, json, jsonObject, milliseconds } from './field-schemas.ts'
import { schemaFor } from './schema-for.ts'

export const delivery = z
  .enum(['push', 'pull', 'external'])
  .describe(
    '`push`: a directive goes out, callbacks come back. `pull`: workers claim it. `external`: another scheduler reports',
  )

export const rateSchema = schemaFor<Rate>()(z.strictObject({ max: z.int(), per_ms: milliseconds })).meta({
  id: 'Rate',
  description: 'At most so many within so many milliseconds',
})

export const limitSchema = schemaFor<Limit>()(
  z.strictObject({ key: z.string(), max: z.int(), per_ms: milliseconds.exactOptional() }),
).meta({
  id: 'Limit',
  description:
    'At most `max` attempts at once hold this key; with `per_ms`, at most `max` begin within this time',
})

const backoffSchema = schemaFor<Backoff>()(
  z.union([
    z.strictObject({ kind: z.literal('list'), delaysMs: z.array(milliseconds) }),
    z.strictObject({
      kind: z.enum(['none', 'linear', 'exponential', 'fibonacci']),
      baseMs: milliseconds,
      capMs: milliseconds,
      jitter: z.number().exactOptional(),
    }),
  ]),
).meta({ id: 'Backoff', description: 'How long to wait before the next try' })

export const stepPolicySchema = schemaFor<StepPolicy>()(
  z.strictObject({
    max_attempts: z.int().exactOptional(),
    ack_timeout_ms: milliseconds.exactOptional(),
    lease_ms: milliseconds.exactOptional(),
    timeout_ms: milliseconds.exactOptional(),
    backoff: backoffSchema.exactOptional(),
    publish_tries: z.int().exactOptional(),
    publish_timeout_ms: milliseconds.exactOptional(),
    publish_backoff: backoffSchema.exactOptional(),
  }),
).meta({ id: 'StepPolicy', description: 'Times and tries of a step; what is absent has the default' })

const clauseSchema = schemaFor<Clause>()(
  z.strictObject({ field: z.string(), op: z.enum(GATE_OPS), value: json.exactOptional() }),
).meta({ id: 'Clause', description: 'One thing said of one field' })

const conditionSchema: z.ZodType<Condition> = z
  .union([
    z.strictObject({
      get all() {
        return z.array(conditionSchema)
      },
    }),
    z.strictObject({
      get any() {
        return z.array(conditionSchema)
      },
    }),
    clauseSchema,
  ])
  .meta({ id: 'Condition' })

const gateFields = {
  name: z.string(),
  when: conditionSchema,
  timeout_ms: milliseconds.exactOptional(),
  resume: z.string().exactOptional(),
}

const gateSchema = schemaFor<Gate>()(z.strictObject(gateFields)).meta({
  id: 'Gate',
  description: 'Holds a job before a stage until a condition comes true',
})

/** For whatever is a gate and more. */
export { gateFields }

const documentState = z.enum(statesOf(documentMachine))

export const stageDocumentSchema = schemaFor<StageDocument>()(
  z.strictObject({
    enters: documentState.exactOptional(),
    leaves: documentState.exactOptional(),
    fails: documentState.exactOptional(),
  }),
).meta({ id: 'StageDocument', description: 'How a stage moves the document of its job' })

const breakerSchema = schemaFor<BreakerPolicy>()(
  z.strictObject({ failures: z.int(), recovery_ms: milliseconds }),
).meta({ id: 'BreakerPolicy', description: 'When workers let the thing that a step calls be' })

const protocolStepSchema = schemaFor<ProtocolStep>()(
  z.strictObject({
    step_id: id,
    step_type: z.string(),
    service: z.string(),
    delivery,
    queue: z.string().exactOptional(),
    limits: z.array(limitSchema).exactOptional(),
    policy: stepPolicySchema.exactOptional(),
    gate: gateSchema.exactOptional(),
    document: stageDocumentSchema.exactOptional(),
    breaker: breakerSchema.exactOptional(),
    payload_schema: jsonObject.exactOptional(),
  }),
).meta({ id: 'ProtocolStep' })

export const protocolSchema = schemaFor<Protocol>()(
  z.strictObject({
    protocol_id: id,
    request_type: z.string(),
    steps: z.array(protocolStepSchema),
    pipeline: z.strictObject({ name: z.string(), version: z.string() }).exactOptional(),
  }),
).meta({
  id: 'Protocol',
  description: 'How a kind of request is answered: the steps, in order, and who does each',
})
