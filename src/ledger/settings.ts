import { callbackUrlsAt } from '../core/job/callback-urls.ts'
import type { JsonObject } from '../core/json.ts'
import type { Mode } from '../core/routing.ts'
import { type Redact, redactText } from './redact.ts'

const DEFAULT_TENANT = 'default'

/** What a ledger is told once, when it is opened. */
export interface LedgerSettings {
  /** Who acts when a call does not say. */
  readonly actor: string
  /** Tenant of calls that do not name one. */
  readonly tenant_id: string
  /** False lets documents take any edge; the history marks each one that is not declared. */
  readonly validateTransitions: boolean
  /** Open jobs a tenant may have. */
  readonly inFlightLimit: number
  /** The same for single tenants. */
  readonly tenantInFlightLimits: { readonly [tenant_id: string]: number }
  /**
   * Where services report: `/ack`, `/heartbeat` and `/result` below it go into the directives of requests that name no
   * `callback_urls` of their own.
   */
  readonly callbackUrl: string | undefined
  /** Refuse a known idempotency key with another request, instead of answering with the job there is. */
  readonly strictIdempotency: boolean
  /** How directives are routed when the request does not say. */
  readonly mode: Mode | undefined
  /** Takes secrets out of the text of errors before it is stored, on top of those that are known by their form. */
  readonly redact: Redact
  readonly tenantModes: { readonly [tenant_id: string]: Mode }
}

export const DEFAULT_SETTINGS: LedgerSettings = {
  actor: 'local',
  tenant_id: DEFAULT_TENANT,
  validateTransitions: true,
  inFlightLimit: 100,
  tenantInFlightLimits: {},
  callbackUrl: undefined,
  strictIdempotency: false,
  mode: undefined,
  redact: redactText,
  tenantModes: {},
}

/** Open jobs that a tenant may have. */
export function inFlightLimitOf(settings: LedgerSettings, tenant_id: string): number {
  const { inFlightLimit, tenantInFlightLimits } = settings
  return Object.hasOwn(tenantInFlightLimits, tenant_id)
    ? (tenantInFlightLimits[tenant_id] as number)
    : inFlightLimit
}

/** Where services report what they do on a request that says nothing of it; null when nowhere. */
export function callbackUrlsOf({ callbackUrl }: LedgerSettings): JsonObject | null {
  return callbackUrl === undefined ? null : callbackUrlsAt(callbackUrl)
}

/** Who asks, for whom, and why: every call that changes something takes these. */
export interface CallOptions {
  readonly tenant_id?: string | undefined
  readonly actor?: string | undefined
  readonly reason?: string | undefined
  /** Only if the record still has this etag. */
  readonly if_match?: string | undefined
}
