import type { Delivery, Protocol, ProtocolStep } from '../core/job/protocol.ts'
import { idProblem } from '../core/names.ts'

// A protocol of steps that say who does them and nothing else is looked at without the schema: that is what a ledger is mostly
// opened with, and a schema takes longer over its first value than all else that opening does. What is not plainly sound is left
// to the schema, which then says what is wrong with it, if anything is. A test compares the two.

const STEP_FIELDS: ReadonlySet<string> = new Set(['step_id', 'step_type', 'service', 'delivery', 'queue'])
const FIELDS: ReadonlySet<string> = new Set(['protocol_id', 'request_type', 'steps'])
const DELIVERIES: ReadonlySet<unknown> = new Set<Delivery>(['push', 'pull', 'external'])

/** Steps that a protocol may have. */
export const MOST_STEPS = 100

/** A frozen copy of the protocol, if it is plainly sound; else null. */
export function plainProtocol(protocol: unknown): Protocol | null {
  const copy = plainCopy(protocol, FIELDS)
  if (copy === null) return null
  const { protocol_id, request_type, steps } = copy
  if (!isId(protocol_id) || !isId(request_type) || !Array.isArray(steps)) return null
  if (steps.length === 0 || steps.length > MOST_STEPS) return null
  const kept: ProtocolStep[] = []
  for (const step of steps) {
    const sound = plainStep(step)
    if (sound === null) return null
    kept.push(sound)
  }
  return Object.freeze({ protocol_id, request_type, steps: Object.freeze(kept) })
}

function plainStep(step: unknown): ProtocolStep | null {
  const copy = plainCopy(step, STEP_FIELDS)
  if (copy === null) return null
  const { step_id, step_type, service, delivery, queue } = copy
  if (!isId(step_id) || step_id.includes('/') || !isId(step_type) || !isId(service)) return null
  if (!DELIVERIES.has(delivery)) return null
  const sound = { step_id, step_type, service, delivery: delivery as Delivery }
  if (queue === undefined) return Object.freeze(sound)
  return isId(queue) ? Object.freeze({ ...sound, queue }) : null
}

/** Copied first: what it says is looked at once. */
function plainCopy(
  value: unknown,
  fields: ReadonlySet<string>,
): { readonly [field: string]: unknown } | null {
  if (typeof value !== 'object' || value === null) return null
  if (Object.getPrototypeOf(value) !== Object.prototype) return null
  const copy: { [field: string]: unknown } = { ...value }
  for (const field in copy) if (!fields.has(field)) return null
  return copy
}

function isId(value: unknown): value is string {
  return typeof value === 'string' && idProblem(value) === null
}
