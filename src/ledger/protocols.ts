import { z } from 'zod'
import { IN_FLIGHT, RATE_SLOT } from '../core/job/limits.ts'
import { ownPayload } from '../core/job/new-job.ts'
import type { Protocol } from '../core/job/protocol.ts'
import type { Json } from '../core/json.ts'
import { QUEUE_LIMIT } from '../core/queue/record.ts'
import { InvalidInput, UnknownRequestType } from '../errors/input-errors.ts'
import { frozenJson } from './check-input.ts'
import { idSchema, inputErrorOf } from './envelope.ts'
import { type JsonCheck, jsonCheck } from './json-schema.ts'
import { MOST_STEPS, plainProtocol } from './plain-protocol.ts'
import { checkResumes, stageFields } from './stage-schema.ts'
import { places } from './steering-schemas.ts'

/** Limits, the limits of queues and the count of open jobs share the same slots. */
const limitKey = idSchema
  .refine((key) => key !== IN_FLIGHT, 'is reserved for the count of open jobs')
  .refine((key) => !key.startsWith(QUEUE_LIMIT), `must not begin with ${QUEUE_LIMIT}, as limits of queues do`)
  .refine((key) => !key.startsWith(RATE_SLOT), `must not begin with ${RATE_SLOT}, as starts are counted`)
const ms = z.number().int().positive()
const backoff = z.union([
  z.object({ kind: z.literal('list'), delaysMs: z.array(z.number().int().nonnegative()).min(1) }),
  z.object({
    kind: z.enum(['none', 'linear', 'exponential', 'fibonacci']),
    baseMs: z.number().int().nonnegative(),
    capMs: z.number().int().nonnegative(),
    jitter: z.number().min(0).max(1).optional(),
  }),
])

/** Limits that one step may have. */
const MOST_LIMITS = 20

const protocolSchema = z.strictObject({
  protocol_id: idSchema,
  request_type: idSchema,
  pipeline: z.strictObject({ name: idSchema, version: idSchema }).optional(),
  steps: z
    .array(
      z.strictObject({
        // A step's id across the ledger is `job/step`.
        step_id: idSchema.regex(/^[^/]+$/, 'must not contain a slash'),
        step_type: idSchema,
        service: idSchema,
        delivery: z.enum(['push', 'pull', 'external']),
        queue: idSchema.optional(),
        limits: z
          .array(z.strictObject({ key: limitKey, max: places, per_ms: ms.optional() }))
          .max(MOST_LIMITS)
          .optional(),
        ...stageFields,
        payload_schema: z.record(z.string(), z.unknown()).optional(),
        policy: z
          .strictObject({
            max_attempts: z.number().int().positive().max(100).optional(),
            ack_timeout_ms: ms.optional(),
            lease_ms: ms.optional(),
            timeout_ms: ms.optional(),
            backoff: backoff.optional(),
            publish_tries: z.number().int().positive().max(100).optional(),
            publish_timeout_ms: ms.optional(),
            publish_backoff: backoff.optional(),
          })
          .optional(),
      }),
    )
    .min(1)
    .max(MOST_STEPS),
})

/** The protocols that this ledger answers requests with. */
export class Protocols {
  readonly #byRequestType = new Map<string, Protocol>()
  /** As the ledger keeps them, by what they were made from: a pipeline brings the same one with every job. */
  readonly #checked = new WeakMap<Protocol, Protocol>()
  /** What the payload of each step has to be, for protocols that say something of it. */
  readonly #payloads = new WeakMap<Protocol, ReadonlyMap<string, JsonCheck>>()

  register(protocol: Protocol): void {
    this.#byRequestType.set(protocol.request_type, this.#check(protocol))
  }

  /** The protocol of one request, which nobody registered. */
  adopt(protocol: Protocol): Protocol {
    return this.#checked.get(protocol) ?? this.#check(protocol)
  }

  #check(protocol: Protocol): Protocol {
    const kept = plainProtocol(protocol) ?? checkedProtocol(protocol)
    checkNames(kept)
    checkResumes(kept)
    const payloads = payloadChecks(kept)
    this.#checked.set(protocol, kept)
    if (payloads.size > 0) this.#payloads.set(kept, payloads)
    return kept
  }

  /** Each step's part of the payload against what its protocol says of it. */
  checkPayload({ payload }: { readonly payload: Json }, protocol: Protocol): void {
    for (const [step_id, check] of this.#payloads.get(protocol) ?? []) {
      const own = ownPayload(payload, step_id)
      const problem = check(own ?? payload)
      if (problem === null) continue
      const place = own === null ? 'payload' : `payload.steps.${step_id}`
      const field = problem.path === '' ? place : `${place}.${problem.path}`
      throw new InvalidInput(field, `${field} ${problem.message}`, `Correct it: step ${step_id} needs it so.`)
    }
  }

  /** Every one there is. */
  all(): readonly Protocol[] {
    return [...this.#byRequestType.values()]
  }

  get(request_type: string): Protocol {
    const protocol = this.#byRequestType.get(request_type)
    if (protocol === undefined) throw new UnknownRequestType(request_type, [...this.#byRequestType.keys()])
    return protocol
  }
}

/** By the schema. Jobs carry parts of it: what the caller does with its own copy later must not reach them. */
export function checkedProtocol(protocol: unknown): Protocol {
  const parsed = protocolSchema.safeParse(protocol, { jitless: true })
  if (!parsed.success) throw inputErrorOf(parsed.error)
  return frozenJson('protocol', parsed.data) as unknown as Protocol
}

/** Steps have names of their own. */
function checkNames({ steps }: Protocol): void {
  const ids = steps.map(({ step_id }) => step_id)
  const twice = ids.find((id, i) => ids.indexOf(id) !== i)
  if (twice === undefined) return
  throw new InvalidInput('steps', `Step ${twice} is there twice`, 'Give every step of a protocol its own id.')
}

function payloadChecks({ steps }: Protocol): ReadonlyMap<string, JsonCheck> {
  const checks = new Map<string, JsonCheck>()
  for (const [index, { step_id, payload_schema }] of steps.entries()) {
    if (payload_schema !== undefined) {
      checks.set(step_id, jsonCheck(`steps.${index}.payload_schema`, payload_schema))
    }
  }
  return checks
}
