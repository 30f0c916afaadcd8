import type { Duration } from '../core/duration.ts'
import type { DependencyPolicy, PRIORITIES, Priority } from '../core/job/record.ts'
import type { Json } from '../core/json.ts'
import type { Mode } from '../core/routing.ts'

/** A request for a job, as it comes in. Null stands for absent in every optional field. */
export interface Envelope {
  readonly tenant_id: string
  readonly request_type: string
  readonly input_ref: string | RequestedRef
  readonly output_ref: string | RequestedRef
  /** JSON. What it has under `steps` goes to the step of that name. */
  readonly payload: unknown
  readonly schema_version: 'v1'
  /** A fresh one unless given. */
  readonly job_id?: string | null | undefined
  readonly doc_id?: string | null | undefined
  readonly doc_key?: string | null | undefined
  readonly metadata?: { readonly [name: string]: unknown } | null | undefined
  readonly mode?: Mode | null | undefined
  /** What makes the request count once; its content unless given. */
  readonly idempotency_key?: string | null | undefined
  readonly correlation_id?: string | null | undefined
  readonly traceparent?: string | null | undefined
  readonly callback_urls?: { readonly [name: string]: string } | null | undefined
  /** By name, or by number: 0 is the most urgent. */
  readonly priority?: (typeof PRIORITIES)[number] | Priority | null | undefined
  /** Jobs that have to end first. */
  readonly depends_on?: readonly string[] | null | undefined
  /** What becomes of it when one of them did not succeed. */
  readonly on_dependency_failure?: DependencyPolicy | null | undefined
  /** Not before this instant, in ISO 8601. */
  readonly run_at?: string | null | undefined
  /** Not before so much time has passed: milliseconds, or text such as `15m`. */
  readonly delay?: Duration | null | undefined
  /** Nobody begins it after this instant, in ISO 8601. */
  readonly expires_at?: string | null | undefined
  readonly run_id?: string | null | undefined
  readonly workstream_id?: string | null | undefined
  readonly tags?: readonly string[] | null | undefined
}

/** Where something is, and what is known of it. */
interface RequestedRef {
  readonly uri: string
  readonly checksum?: string | undefined
  readonly size_bytes?: number | undefined
  readonly content_type?: string | undefined
  readonly metadata?: { readonly [name: string]: Json } | undefined
}
