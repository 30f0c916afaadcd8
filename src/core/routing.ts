import { crc32 } from './crc32.ts'

/** Which lane of the bus a job's directives travel on. Decided once, at submit, and pinned for its attempts. */
export interface Routing {
  readonly resolved_mode: Mode
  readonly lane: number
  readonly routing_key_used: string
  readonly decision_source: DecisionSource
  readonly decision_reason: string
}

export const MODES = ['DEFAULT', 'BURST'] as const

export type Mode = (typeof MODES)[number]

export type DecisionSource = 'REQUEST' | 'TENANT_CONFIG' | 'GLOBAL_CONFIG'

export const LANES = 16

export interface RoutingRequest {
  readonly tenant_id: string
  readonly doc_id: string | null
  /** The mode of the request, of the tenant's settings, of the ledger's settings: the first one given wins. */
  readonly mode: Mode | undefined
  readonly tenantMode: Mode | undefined
  readonly globalMode: Mode | undefined
}

// Mostly one tenant submits many jobs, and what does not go by the document is then the same for all of them.
let lastRequest: RoutingRequest | null = null
let lastRouting: Routing | null = null

/** Null when the mode spreads a tenant by document and there is no document. */
export function route(request: RoutingRequest): Routing | null {
  if (lastRequest !== null && isRoutedAlike(request, lastRequest)) return lastRouting
  const routing = worked(request)
  if (routing?.resolved_mode === 'DEFAULT') {
    const { tenant_id, mode, tenantMode, globalMode } = request
    lastRequest = { tenant_id, doc_id: null, mode, tenantMode, globalMode }
    lastRouting = routing
  }
  return routing
}

function isRoutedAlike(a: RoutingRequest, b: RoutingRequest): boolean {
  return (
    a.tenant_id === b.tenant_id &&
    a.mode === b.mode &&
    a.tenantMode === b.tenantMode &&
    a.globalMode === b.globalMode
  )
}

function worked(request: RoutingRequest): Routing | null {
  const chosen = chooseMode(request)
  if (chosen.resolved_mode === 'BURST' && request.doc_id === null) return null
  const burst = chosen.resolved_mode === 'BURST' ? (request.doc_id as string).trim().toLowerCase() : ''
  const routing_key_used = request.tenant_id.trim().toLowerCase() + burst
  return { ...chosen, lane: laneOf(routing_key_used), routing_key_used }
}

function chooseMode(request: RoutingRequest) {
  if (request.mode !== undefined) {
    return {
      resolved_mode: request.mode,
      decision_source: 'REQUEST',
      decision_reason: 'request.mode',
    } as const
  }
  if (request.tenantMode !== undefined) {
    return {
      resolved_mode: request.tenantMode,
      decision_source: 'TENANT_CONFIG',
      decision_reason: 'tenant.mode',
    } as const
  }
  return {
    resolved_mode: request.globalMode ?? 'DEFAULT',
    decision_source: 'GLOBAL_CONFIG',
    decision_reason: request.globalMode === undefined ? 'default' : 'global.mode',
  } as const
}

// Mostly one tenant submits many jobs. Nothing has its lane worked out here, where bundlers would keep that for everybody.
let lastKey = ''
let lastLane = 0

export function laneOf(routingKey: string): number {
  if (routingKey !== lastKey) {
    lastLane = crc32(routingKey) % LANES
    lastKey = routingKey
  }
  return lastLane
}

export function topicOf(lane: number): string {
  return `global-bus-p${lane}`
}
