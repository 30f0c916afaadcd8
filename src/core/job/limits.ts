import type { SlotChange } from '../decision.ts'
import { isJsonObject, type Json } from '../json.ts'
import { EVERYBODY, QUEUE_LIMIT, type QueueRecord, queueLimits } from '../queue/record.ts'
import type { SubmitJob } from './commands.ts'
import type { JobDraft } from './draft.ts'
import type { Limit } from './protocol.ts'
import type { JobRecord, StepRecord } from './record.ts'

/** Whoever was let past the limits takes a place all the same, so that others count it. */
export const NO_LIMIT = Number.MAX_SAFE_INTEGER

/** The slots that count the open jobs of a tenant. */
export const IN_FLIGHT = 'in-flight'

/** What the slots of limits by time begin with. */
export const RATE_SLOT = 'rate:'

/** Attempts at once and attempts within a while are counted apart, though they may go by one name. */
export function slotKey({ key, per_ms }: Limit): string {
  return per_ms === undefined ? key : `${RATE_SLOT}${key}`
}

/** Takes the places that an attempt at this step needs by its protocol. */
export function takeLimits(draft: JobDraft, step: StepRecord, lease_id: string): void {
  for (const limit of step.limits) draft.slot(takeOf(draft, limit, draft.job.tenant_id, lease_id))
}

/** Takes the places that its queue has for it. */
export function takeQueueLimits(draft: JobDraft, step: StepRecord, queue: QueueRecord | null): void {
  const limits = queueLimits(queue)
  if (limits.length === 0) return
  for (const limit of limits) draft.slot(takeOf(draft, limit, EVERYBODY, step.lease_id as string))
  if (limits.some(({ per_ms }) => per_ms === undefined)) draft.setStep(step.step_index, { queue_slot: true })
}

function takeOf(draft: JobDraft, limit: Limit, tenant_id: string, lease_id: string): SlotChange {
  const { job, given } = draft
  const max = job.unlimited ? NO_LIMIT : limit.max
  const key = slotKey(limit)
  // A start counts for its while whatever becomes of it, and a job may start more than once in it.
  return limit.per_ms === undefined
    ? { tenant_id, key, verb: 'take', owner: slotOwner(tenant_id, job), max }
    : { tenant_id, key, verb: 'take', owner: lease_id, max, until: given.now + limit.per_ms }
}

/** Gives back what an attempt held. Starts within a while go by themselves. */
export function releaseLimits(draft: JobDraft, step: StepRecord): void {
  const { job } = draft
  for (const { tenant_id, key } of heldBy(job, step)) {
    draft.slot({ tenant_id, key, verb: 'release', owner: slotOwner(tenant_id, job) })
    // As it was named by earlier versions.
    if (tenant_id === EVERYBODY) draft.slot({ tenant_id, key, verb: 'release', owner: job.job_id })
  }
}

/** Who holds a place. What is everybody's is held by jobs of all tenants, and two of them may have one id. */
export function slotOwner(tenant_id: string, job: Pick<JobRecord, 'tenant_id' | 'job_id'>): string {
  return tenant_id === EVERYBODY ? `${job.tenant_id}/${job.job_id}` : job.job_id
}

/** The places that an attempt holds until it is over. */
export function heldBy(job: JobRecord, step: StepRecord): readonly { tenant_id: string; key: string }[] {
  const own = step.limits.filter(({ per_ms }) => per_ms === undefined)
  const held: { tenant_id: string; key: string }[] = own.map(({ key }) => ({ tenant_id: job.tenant_id, key }))
  if (step.queue_slot) {
    const queue = { queue: step.queue, concurrency: NO_LIMIT, rate: null } as QueueRecord
    for (const { key } of queueLimits(queue)) held.push({ tenant_id: EVERYBODY, key })
  }
  return held
}

/** The first of the limits that is known to be full. */
export function fullLimit(draft: JobDraft, step: StepRecord, queue: QueueRecord | null): Limit | undefined {
  const { job, given } = draft
  const isFull = (tenant_id: string) => (limit: Limit) => given.isFull({ tenant_id, key: slotKey(limit) })
  return step.limits.find(isFull(job.tenant_id)) ?? queueLimits(queue).find(isFull(EVERYBODY))
}

const PLACEHOLDER = /\{([^{}]+)\}/g

/** Longest value that a key takes from a request: engines remember every key for as long as somebody holds it. */
const MOST_CHARS = 200

/** The limits of a step with what its keys take from the request filled in; or the path that leads to nothing usable. */
export function limitsFor(
  limits: readonly Limit[],
  command: SubmitJob,
): { readonly limits: readonly Limit[] } | { readonly missing: string } {
  let missing: string | undefined
  const filled = limits.map((limit) => {
    let last: string | undefined
    const key = limit.key.replace(PLACEHOLDER, (_, path: string) => {
      const value = valueAt(command as unknown as Json, path.split('.'))
      if (value === null || value.length > MOST_CHARS) missing ??= path
      last = path
      return escaped(value ?? '')
    })
    if (last === undefined) return limit
    if (isReserved(key)) missing ??= last
    return { ...limit, key }
  })
  return missing === undefined ? { limits: filled } : { missing }
}

/** Whoever writes the request must not be able to name what counts something else. */
function isReserved(key: string): boolean {
  return key === IN_FLIGHT || key.startsWith(QUEUE_LIMIT) || key.startsWith(RATE_SLOT)
}

/** Keys stand beside each other with spaces between them, and have to stay apart. */
function escaped(value: string): string {
  return value.toWellFormed().replace(/[\s%\p{C}]/gu, encodeURIComponent)
}

/** Only what people can tell apart when they read it makes a key: text, numbers, yes and no. */
function valueAt(from: Json, path: readonly string[]): string | null {
  let value: Json | undefined = from
  for (const name of path) {
    if (!isJsonObject(value) || !Object.hasOwn(value, name)) return null
    value = value[name]
  }
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? String(value)
    : null
}
