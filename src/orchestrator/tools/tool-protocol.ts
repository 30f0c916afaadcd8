// How a tool job becomes a job of the ledger: one step in the queue of its tool, tried as often as its policy says, and
// followed by the rungs of its ladder when it fails for good.

import { z } from 'zod'
import type { Backoff } from '../../core/backoff.ts'
import type { Protocol } from '../../core/job/protocol.ts'
import type { Priority, Rung } from '../../core/job/record.ts'
import { HUMAN, queueOfTool } from '../../core/job/tool-service.ts'
import type { Json } from '../../core/json.ts'
import { InvalidInput } from '../../errors/input-errors.ts'
import { inputErrorOf } from '../../ledger/envelope.ts'
import type { PipelineLike } from '../../ledger/pipeline-request.ts'
import type { AdapterRegistry } from './adapter-registry.ts'
import { escalatedJob, ladderOf } from './escalation.ts'
import type { ToolJob } from './tool-job.ts'

/** Tries after the first, where the job does not say. */
const DEFAULT_RETRIES = 2

/** A worker that is gone is noticed after this; one that is there says so three times as often. */
const LEASE_MS = 60_000

/** The adapter ends a tool that takes too long. Should it fail to, the ledger gives up on the attempt after as much more. */
const BACKSTOP_MS = 120_000

const HIGH: Priority = 1

const seconds = z.number().nonnegative().max(86_400)
const backoffSchema = z.strictObject({
  kind: z.enum(['immediate', 'linear', 'exponential', 'fibonacci']),
  base_seconds: seconds.default(1),
  cap_seconds: seconds.default(300),
  jitter: z.number().min(0).max(1).optional(),
})

/** How the ledger runs a tool job. */
export function toolPipeline(job: ToolJob, adapters: AdapterRegistry): PipelineLike {
  return { protocol: protocolOf(job, adapters) }
}

/** What is tried when it fails for good, in order; each at high priority. */
export function rungsOf(job: ToolJob, adapters: AdapterRegistry): readonly Rung[] {
  let before = job
  return ladderOf(job, adapters).map((to, index) => {
    const new_job_id = `${job.job_id}~${index + 2}`
    before = escalatedJob({ job: before, to, reason: `${before.tool} failed`, new_job_id }, adapters)
    return { protocol: protocolOf(before, adapters), payload: before as unknown as Json, priority: HIGH }
  })
}

export function timeoutMsOf(job: ToolJob, adapters: AdapterRegistry): number {
  const { timeout_seconds = adapters.adapterFor(job.tool).defaultTimeoutSeconds } = job.metadata ?? {}
  return Math.ceil(timeout_seconds * 1000)
}

function protocolOf(job: ToolJob, adapters: AdapterRegistry): Protocol {
  const { tool } = job
  const service = queueOfTool(tool)
  const step = { step_id: tool, step_type: 'TOOL', service } as const
  const steps =
    tool === HUMAN
      ? [{ ...step, delivery: 'external' as const, policy: { lease_ms: FOR_A_PERSON_MS } }]
      : [{ ...step, delivery: 'pull' as const, policy: policyOf(job, adapters) }]
  return { protocol_id: `${service}.v1`, request_type: service, steps }
}

/** Once a person has taken it on, nobody else gets it for so long. */
const FOR_A_PERSON_MS = 30 * 24 * 3_600_000

function policyOf(job: ToolJob, adapters: AdapterRegistry) {
  return {
    max_attempts: attemptsOf(job),
    lease_ms: LEASE_MS,
    timeout_ms: timeoutMsOf(job, adapters) + BACKSTOP_MS,
    backoff: backoffOf(job),
  }
}

function attemptsOf({ metadata = {} }: ToolJob): number {
  const { retry_policy = 'none', max_retries = DEFAULT_RETRIES } = metadata
  return retry_policy === 'none' ? 1 : max_retries + 1
}

function backoffOf({ metadata = {} }: ToolJob): Backoff {
  const given = metadata.backoff ?? { kind: 'exponential' }
  const parsed = backoffSchema.safeParse(typeof given === 'string' ? { kind: given } : given)
  if (!parsed.success) {
    const { field, message, next } = inputErrorOf(parsed.error)
    throw new InvalidInput(`metadata.backoff.${field}`, `metadata.backoff: ${message}`, next)
  }
  const { kind, base_seconds, cap_seconds, jitter } = parsed.data
  return {
    kind: kind === 'immediate' ? 'none' : kind,
    baseMs: Math.round(base_seconds * 1000),
    capMs: Math.round(cap_seconds * 1000),
    ...(jitter === undefined ? null : { jitter }),
  }
}
