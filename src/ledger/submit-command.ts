import { durationMs } from '../core/duration.ts'
import type { RequestIdentity } from '../core/idempotency.ts'
import type { SubmitJob } from '../core/job/commands.ts'
import type { Protocol } from '../core/job/protocol.ts'
import { PRIORITIES, type Priority, type Ref } from '../core/job/record.ts'
import { EMPTY, type Json, type JsonObject } from '../core/json.ts'
import { toIso } from '../core/time.ts'
import type { World } from '../world/world.ts'
import type { ParsedEnvelope } from './envelope.ts'
import { idempotencyHash } from './idempotency-hash.ts'
import { requestMetadata } from './kept-metadata.ts'
import { callbackUrlsOf, inFlightLimitOf, type LedgerSettings } from './settings.ts'

/** Who asks, and why. */
interface By {
  readonly actor: string
  readonly reason: string | null
}

/** The command for a request that was found sound. Field by field: this is the way of every job, and copying is felt. */
export function submitCommand(
  request: ParsedEnvelope,
  protocol: Protocol,
  settings: LedgerSettings,
  world: World,
  by: By,
): SubmitJob {
  const { tenant_id, depends_on } = request
  return {
    type: 'submitJob',
    tenant_id,
    request_type: request.request_type,
    input_ref: request.input_ref as Ref & Json,
    output_ref: request.output_ref as Ref & Json,
    payload: request.payload,
    payloadText: request.payloadText,
    schema_version: request.schema_version,
    protocol,
    job_id: request.job_id ?? world.ids.next(),
    isFreshId: request.job_id == null,
    doc_id: request.doc_id ?? null,
    mode: request.mode ?? undefined,
    tenantMode: Object.hasOwn(settings.tenantModes, tenant_id) ? settings.tenantModes[tenant_id] : undefined,
    globalMode: settings.mode,
    idempotency_key: request.idempotency_key ?? null,
    idempotency_hash: idempotencyHash(request as RequestIdentity),
    strictIdempotency: settings.strictIdempotency,
    inFlightLimit: inFlightLimitOf(settings, tenant_id),
    priority: priorityOf(request.priority),
    depends_on: depends_on == null || depends_on.length === 0 ? NONE : [...new Set(depends_on)],
    on_dependency_failure: request.on_dependency_failure ?? 'fail',
    run_at: normalise(request.run_at),
    delay_ms: request.delay == null ? null : durationMs(request.delay),
    expires_at: normalise(request.expires_at),
    run_id: request.run_id ?? null,
    workstream_id: request.workstream_id ?? null,
    schedule_id: null,
    pipeline_name: protocol.pipeline?.name ?? null,
    doc_key: request.doc_key ?? null,
    metadata: metadataOf(request, protocol, settings),
    rungs: NONE,
    tags: request.tags ?? NONE,
    callback_urls: request.callback_urls ?? callbackUrlsOf(settings),
    correlation_id: request.correlation_id ?? null,
    traceparent: request.traceparent ?? null,
    actor: by.actor,
    reason: by.reason,
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

const NONE: readonly never[] = Object.freeze([])

export function priorityOf(priority: ParsedEnvelope['priority']): Priority {
  if (typeof priority === 'number') return priority
  return PRIORITIES.indexOf(priority ?? 'normal') as Priority
}

/** Times are compared as text, so they all have the same form. */
function normalise(time: string | null | undefined): string | null {
  return time === null || time === undefined ? null : toIso(Date.parse(time))
}
