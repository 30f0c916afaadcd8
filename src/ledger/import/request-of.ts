// What becomes of an old job: a request with a protocol of one step, which workers of its queue take.
import { type Backoff, backoffMs } from '../../core/backoff.ts'
import type { Protocol, StepPolicy } from '../../core/job/protocol.ts'
import { isJsonObject, type Json, type JsonObject } from '../../core/json.ts'
import { toIso } from '../../core/time.ts'
import type { PipelineRequest } from '../pipeline-request.ts'
import type { ScheduledRequest } from '../steering.ts'
import type { OldJob, OldRecord, OldSchedule, OldSystem } from './old-record.ts'

const STEP = 'run'

/** Most attempts that a step may have. */
const MOST_ATTEMPTS = 100

/** More waits than these are not spelled out: the last one repeats. */
const MOST_WAITS = 30

export interface Naming {
  readonly system: OldSystem
  /** With `{queue}` and `{name}` in it. */
  readonly request_type: string
  readonly queueOf: (queue: string) => string
}

/** What a request of this kind is called. */
export function requestTypeOf({ queue, name }: OldRecord, naming: Naming): string {
  return naming.request_type.replace(/\{(queue|name)\}/g, (_, what) =>
    what === 'queue' ? naming.queueOf(queue) : name,
  )
}

/** The protocol of a record; `made` attempts are over already. */
export function protocolOf(record: OldRecord, naming: Naming, made: number): Protocol {
  const request_type = requestTypeOf(record, naming)
  const service = naming.queueOf(record.queue)
  const { limits } = record
  return {
    protocol_id: `${naming.system}:${request_type}`,
    request_type,
    steps: [
      {
        step_id: stepFor(record.payload),
        step_type: record.name,
        service,
        delivery: 'pull',
        policy: policyOf(record, made),
        ...(limits.length === 0 ? null : { limits }),
      },
    ],
  }
}

/** `payload.steps` says what each step gets; old payloads know nothing of that, and come whole. */
function stepFor(payload: Json): string {
  const steps = isJsonObject(payload) && isJsonObject(payload.steps) ? payload.steps : {}
  let step_id = STEP
  while (Object.hasOwn(steps, step_id)) step_id += '-'
  return step_id
}

function policyOf({ max_attempts, backoff, timeout_ms }: OldRecord, made: number): StepPolicy {
  // At least one is left: somebody still expects it to be tried.
  const left = Math.max(1, max_attempts - made)
  return {
    max_attempts: Math.min(left, MOST_ATTEMPTS),
    ...(backoff === null ? null : { backoff: from(backoff, made, left) }),
    ...(timeout_ms === null ? null : { timeout_ms }),
  }
}

/** The waits that are still to come. */
function from(backoff: Backoff, made: number, left: number): Backoff {
  if (made === 0 || backoff.kind === 'none') return backoff
  const waits = Math.max(1, Math.min(left - 1, MOST_WAITS))
  const delaysMs = Array.from({ length: waits }, (_, n) => backoffMs(backoff, made + n + 1))
  return { kind: 'list', delaysMs }
}

/** The request of an old job. */
export function requestOf(job: OldJob, naming: Naming, tenant_id: string): PipelineRequest {
  const isOpen = job.state !== 'failed' && job.state !== 'completed'
  return {
    tenant_id,
    job_id: job.key,
    idempotency_key: job.key,
    input_ref: job.key,
    output_ref: job.key,
    payload: job.payload,
    priority: job.priority,
    tags: tagsOf(naming.system, job.tags),
    metadata: { imported: importedFacts(job, naming.system) },
    ...(isOpen && job.run_at !== null ? { run_at: toIso(job.run_at) } : null),
    ...(isOpen && job.expires_at !== null ? { expires_at: toIso(job.expires_at) } : null),
    ...(isOpen && job.depends_on.length > 0
      ? { depends_on: [...job.depends_on], on_dependency_failure: job.on_dependency_failure }
      : null),
  }
}

function importedFacts(job: OldJob, system: OldSystem): JsonObject {
  const { id, queue, name, state, attempts_made, max_attempts, created_at, facts } = job
  return { from: system, id, queue, name, state, attempts_made, max_attempts, created_at, ...facts }
}

function tagsOf(system: OldSystem, tags: readonly string[]): string[] {
  return [...new Set([`from:${system}`, ...tags])]
}

/** What a schedule submits each time. */
export function scheduledRequest(schedule: OldSchedule, naming: Naming): ScheduledRequest {
  return {
    request_type: requestTypeOf(schedule, naming),
    input_ref: schedule.key,
    output_ref: schedule.key,
    payload: schedule.payload,
    schema_version: 'v1',
    priority: schedule.priority,
    tags: tagsOf(naming.system, []),
  }
}
