import { durationMs } from '../core/duration.ts'
import type { SubmitJob } from '../core/job/commands.ts'
import type { Protocol } from '../core/job/protocol.ts'
import { PRIORITIES, type Priority, type Ref } from '../core/job/record.ts'
import { EMPTY, type Json, type JsonObject } from '../core/json.ts'
import { toIso } from '../core/time.ts'
import type { World } from '../world/world.ts'
import type { Identity } from './canonical-json.ts'
import type { ParsedEnvelope } from './envelope.ts'
import { idempotencyHash } from './idempotency-hash.ts'
import { requestMetadata } from './kept-metadata.ts'
import { callbackUrlsOf, inFlightLimitOf, type LedgerSettings } from './settings.ts'

const NONE: readonly never[] = Object.freeze([])

/** Who asks, and why. */
interface By {
  readonly actor: string
  readonly reason: string | null
}

/** The command for a request that was found sound. */
export function submitCommand(
  request: ParsedEnvelope,
  protocol: Protocol,
  settings: LedgerSettings,
  world: World,
  by: By,
): SubmitJob {
  return new Submit(request, protocol, settings, world, by)
}

/**
 * Field by field: this is the way of every job, and copying is felt. And made by a constructor: where what a literal makes has
 * survived a few times, as the commands of batches do, the engine makes it where it stays, with all that it holds on to, until
 * the whole memory is gone through.
 */
class Submit implements SubmitJob {
  readonly type = 'submitJob'
  readonly tenant_id: string
  readonly request_type: string
  readonly input_ref: Ref & Json
  readonly output_ref: Ref & Json
  readonly payload: Json
  readonly payloadText: string | undefined
  readonly schema_version: string
  readonly protocol: Protocol
  readonly job_id: string
  readonly isFreshId: boolean
  readonly doc_id: string | null
  readonly mode: SubmitJob['mode']
  readonly tenantMode: SubmitJob['tenantMode']
  readonly globalMode: SubmitJob['globalMode']
  readonly idempotency_key: string | null
  readonly idempotency_hash: string
  readonly strictIdempotency: boolean
  readonly inFlightLimit: number
  readonly priority: Priority
  readonly depends_on: readonly string[]
  readonly on_dependency_failure: SubmitJob['on_dependency_failure']
  readonly run_at: string | null
  readonly delay_ms: number | null
  readonly expires_at: string | null
  readonly run_id: string | null
  readonly workstream_id: string | null
  readonly schedule_id = null
  readonly pipeline_name: string | null
  readonly doc_key: string | null
  readonly metadata: JsonObject
  readonly rungs = NONE
  readonly tags: readonly string[]
  readonly callback_urls: SubmitJob['callback_urls']
  readonly correlation_id: string | null
  readonly traceparent: string | null
  readonly actor: string
  readonly reason: string | null

  constructor(
    request: ParsedEnvelope,
    protocol: Protocol,
    settings: LedgerSettings,
    world: World,
    { actor, reason }: By,
  ) {
    const { tenant_id, depends_on } = request
    this.tenant_id = tenant_id
    this.request_type = request.request_type
    this.input_ref = request.input_ref as Ref & Json
    this.output_ref = request.output_ref as Ref & Json
    this.payload = request.payload
    this.payloadText = request.payloadText
    this.schema_version = request.schema_version
    this.protocol = protocol
    this.job_id = request.job_id ?? world.ids.next()
    this.isFreshId = request.job_id == null
    this.doc_id = request.doc_id ?? null
    this.mode = request.mode ?? undefined
    this.tenantMode = Object.hasOwn(settings.tenantModes, tenant_id)
      ? settings.tenantModes[tenant_id]
      : undefined
    this.globalMode = settings.mode
    this.idempotency_key = request.idempotency_key ?? null
    this.idempotency_hash = idempotencyHash(request as Identity)
    this.strictIdempotency = settings.strictIdempotency
    this.inFlightLimit = inFlightLimitOf(settings, tenant_id)
    this.priority = priorityOf(request.priority)
    this.depends_on = depends_on == null || depends_on.length === 0 ? NONE : [...new Set(depends_on)]
    this.on_dependency_failure = request.on_dependency_failure ?? 'fail'
    this.run_at = normalise(request.run_at)
    this.delay_ms = request.delay == null ? null : durationMs(request.delay)
    this.expires_at = normalise(request.expires_at)
    this.run_id = request.run_id ?? null
    this.workstream_id = request.workstream_id ?? null
    this.pipeline_name = protocol.pipeline?.name ?? null
    this.doc_key = request.doc_key ?? null
    this.metadata = metadataOf(request, protocol, settings)
    this.tags = request.tags ?? NONE
    this.callback_urls = request.callback_urls ?? callbackUrlsOf(settings)
    this.correlation_id = request.correlation_id ?? null
    this.traceparent = request.traceparent ?? null
    this.actor = actor
    this.reason = reason
  }
}

/** It is there to be looked at, which secrets are not; payload and references come back as they were given. */
function metadataOf(
  { metadata }: ParsedEnvelope,
  { pipeline }: Protocol,
  { redact }: LedgerSettings,
): JsonObject {
  if (pipeline === undefined) return metadata == null ? EMPTY : requestMetadata(metadata, redact)
  const { version: pipeline_version } = pipeline
  if (metadata != null) return Object.freeze({ ...requestMetadata(metadata, redact), pipeline_version })
  // The same for all jobs of the pipeline, so that they can be seen to be alike.
  let only = versions.get(pipeline)
  if (only === undefined) {
    only = Object.freeze({ pipeline_version })
    versions.set(pipeline, only)
  }
  return only
}

const versions = new WeakMap<object, JsonObject>()

export function priorityOf(priority: ParsedEnvelope['priority']): Priority {
  if (typeof priority === 'number') return priority
  return PRIORITIES.indexOf(priority ?? 'normal') as Priority
}

/** Times are compared as text, so they all have the same form. */
function normalise(time: string | null | undefined): string | null {
  return time === null || time === undefined ? null : toIso(Date.parse(time))
}
