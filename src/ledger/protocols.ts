import { z } from 'zod'
import { IN_FLIGHT } from '../core/job/finish.ts'
import type { Protocol } from '../core/job/protocol.ts'
import { InvalidInput, UnknownRequestType } from '../errors/input-errors.ts'
import { frozenJson } from './check-input.ts'
import { idSchema, inputErrorOf } from './envelope.ts'

/** Limits and the count of open jobs share the same slots. */
const limitKey = idSchema.refine((key) => key !== IN_FLIGHT, 'is reserved for the count of open jobs')
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

const protocolSchema = z.strictObject({
  protocol_id: idSchema,
  request_type: idSchema,
  steps: z
    .array(
      z.strictObject({
        // A step's id across the ledger is `job/step`.
        step_id: idSchema.regex(/^[^/]+$/, 'must not contain a slash'),
        step_type: idSchema,
        service: idSchema,
        delivery: z.enum(['push', 'pull', 'external']),
        queue: idSchema.optional(),
        limits: z.array(z.strictObject({ key: limitKey, max: z.number().int().positive() })).optional(),
        policy: z
          .strictObject({
            max_attempts: z.number().int().positive().max(100).optional(),
            ack_timeout_ms: ms.optional(),
            lease_ms: ms.optional(),
            backoff: backoff.optional(),
            publish_tries: z.number().int().positive().max(100).optional(),
            publish_timeout_ms: ms.optional(),
            publish_backoff: backoff.optional(),
          })
          .optional(),
      }),
    )
    .min(1)
    .max(100),
})

/** The protocols that this ledger answers requests with. */
export class Protocols {
  readonly #byRequestType = new Map<string, Protocol>()

  register(protocol: Protocol): void {
    const parsed = protocolSchema.safeParse(protocol)
    if (!parsed.success) throw inputErrorOf(parsed.error)
    const ids = protocol.steps.map((step) => step.step_id)
    const twice = ids.find((id, i) => ids.indexOf(id) !== i)
    if (twice !== undefined) {
      throw new InvalidInput(
        'steps',
        `Step ${twice} is there twice`,
        'Give every step of a protocol its own id.',
      )
    }
    // Jobs carry parts of it: what the caller does with its own copy later must not reach them.
    this.#byRequestType.set(protocol.request_type, frozenJson('protocol', parsed.data) as unknown as Protocol)
  }

  get(request_type: string): Protocol {
    const protocol = this.#byRequestType.get(request_type)
    if (protocol === undefined) throw new UnknownRequestType(request_type, [...this.#byRequestType.keys()])
    return protocol
  }
}
