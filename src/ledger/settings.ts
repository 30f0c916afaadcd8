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
  strictIdempotency: false,
  mode: undefined,
  redact: redactText,
  tenantModes: {},
}

/** Who asks, for whom, and why: every call that changes something takes these. */
export interface CallOptions {
  readonly tenant_id?: string | undefined
  readonly actor?: string | undefined
  readonly reason?: string | undefined
  /** Only if the record still has this etag. */
  readonly if_match?: string | undefined
}
