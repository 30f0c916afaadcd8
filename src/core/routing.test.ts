import { crc32 } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { LANES, laneOf, type RoutingRequest, route, topicOf } from './routing.ts'

function request(more: Partial<RoutingRequest> = {}): RoutingRequest {
  return {
    tenant_id: ' TenantA ',
    doc_id: null,
    mode: undefined,
    tenantMode: undefined,
    globalMode: undefined,
    ...more,
  }
}

describe('A8: routing', () => {
  it('by tenant: trimmed, lowercased, CRC-32 mod 16', () => {
    const routing = route(request())
    expect(routing).toEqual({
      resolved_mode: 'DEFAULT',
      routing_key_used: 'tenanta',
      lane: 3,
      decision_source: 'GLOBAL_CONFIG',
      decision_reason: 'default',
    })
    expect(crc32('tenanta')).toBe(1_262_872_563)
    expect(topicOf(3)).toBe('global-bus-p3')
  })

  it('by tenant and document when it is a burst', () => {
    expect(route(request({ mode: 'BURST', doc_id: ' Doc-99 ' }))).toEqual({
      resolved_mode: 'BURST',
      routing_key_used: 'tenantadoc-99',
      lane: 9,
      decision_source: 'REQUEST',
      decision_reason: 'request.mode',
    })
  })

  it('a document does not matter when it is not', () => {
    expect(route(request({ mode: 'DEFAULT', doc_id: 'Doc-99' }))).toMatchObject({
      routing_key_used: 'tenanta',
      lane: 3,
    })
  })

  it('a burst without a document has no route', () => {
    expect(route(request({ mode: 'BURST' }))).toBeNull()
    expect(route(request({ tenantMode: 'BURST' }))).toBeNull()
    expect(route(request({ globalMode: 'BURST' }))).toBeNull()
  })

  it('the mode of the request wins, then the tenant’s, then the ledger’s', () => {
    const all = { mode: 'DEFAULT', tenantMode: 'BURST', globalMode: 'BURST' } as const
    expect(route(request(all))).toMatchObject({
      resolved_mode: 'DEFAULT',
      decision_source: 'REQUEST',
      decision_reason: 'request.mode',
    })
    expect(route(request({ tenantMode: 'DEFAULT', globalMode: 'BURST' }))).toMatchObject({
      resolved_mode: 'DEFAULT',
      decision_source: 'TENANT_CONFIG',
      decision_reason: 'tenant.mode',
    })
    expect(route(request({ globalMode: 'BURST', doc_id: 'd' }))).toMatchObject({
      resolved_mode: 'BURST',
      decision_source: 'GLOBAL_CONFIG',
      decision_reason: 'global.mode',
    })
  })

  it('every key has one of sixteen lanes, the same for every spelling of the tenant', () => {
    expect(LANES).toBe(16)
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), (tenant_id) => {
        const lane = route(request({ tenant_id }))?.lane as number
        const shouted = route(request({ tenant_id: `  ${tenant_id.toLowerCase()} ` }))?.lane
        return Number.isInteger(lane) && lane >= 0 && lane < 16 && lane === shouted
      }),
    )
  })

  it('hashes what is not ASCII as UTF-8', () => {
    expect(laneOf('müller')).toBe(crc32(Buffer.from('müller', 'utf8')) % 16)
  })
})
