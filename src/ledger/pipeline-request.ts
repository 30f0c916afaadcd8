import type { Protocol } from '../core/job/protocol.ts'
import { BOOTSTRAP } from '../core/job/protocol.ts'
import type { JsonObject } from '../core/json.ts'
import { normalised } from './normalised.ts'
import type { Envelope } from './request.ts'

/** Something that jobs go through, step by step. */
export interface PipelineLike {
  readonly protocol: Protocol
}

type Given = Omit<Envelope, 'request_type' | 'schema_version' | 'metadata'>

/** A job for a pipeline: what the pipeline does not say itself. */
export type PipelineRequest = Partial<Given> & {
  /** Kept with the job, as they are: who asked and why, what the adapter was told. */
  readonly context?: unknown
  readonly adapter_request?: unknown
  readonly metadata?: JsonObject | undefined
}

/** The request as any other is made. */
export function envelopeFor(pipeline: PipelineLike, request: PipelineRequest, tenant_id: string): Envelope {
  const { context, adapter_request, metadata, ...given } = request
  const { request_type } = pipeline.protocol
  const ref = given.doc_id ?? `pipeline:${request_type}`
  return {
    tenant_id,
    input_ref: ref,
    output_ref: ref,
    payload: {},
    ...given,
    request_type,
    schema_version: 'v1',
    metadata: runMetadata({ context, adapter_request }, metadata),
  }
}

interface RunFacts {
  readonly pipeline_version?: string
  readonly context?: unknown
  readonly adapter_request?: unknown
  readonly payload?: unknown
}

/** What is kept of a run with its job. */
export function runMetadata(facts: RunFacts, more: JsonObject = {}): JsonObject {
  const kept = Object.entries(facts).filter(([, value]) => value !== undefined)
  return { ...more, ...Object.fromEntries(kept.map(([key, value]) => [key, normalised(key, value)])) }
}

/** A pipeline whose stages another scheduler runs, and reports through the state manager as they come. */
export function externalPipeline(name: string, version: string): PipelineLike {
  const step = { step_id: BOOTSTRAP, step_type: BOOTSTRAP, service: name, delivery: 'external' } as const
  return {
    protocol: {
      protocol_id: `${name}@${version}`,
      request_type: name,
      steps: [step],
      pipeline: { name, version },
    },
  }
}
