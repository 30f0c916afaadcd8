import assert from 'node:assert/strict'
import type { WorkView } from '../../../core/pick.ts'
import { EVERYBODY } from '../../../core/queue/record.ts'
import { TENANTS } from './arbitrary-parts.ts'
import type { ReferenceLedger } from './reference-ledger.ts'
import { same } from './same.ts'

/** The store's time lies in it; it is one moment, unless somebody set the clock back. */
export interface Span {
  readonly from: number
  readonly to: number
}

const SLOT_KEYS = ['in-flight', 'gpu', 'line', 'rate:door', 'rate:gpu'] as const

const SLOTS = TENANTS.flatMap((tenant_id) => SLOT_KEYS.map((key) => ({ tenant_id, key })))

/** A store shows with ready work how far limits are used, and what was decided about queues. */
export function mustShow(view: WorkView, model: ReferenceLedger, span: Span): void {
  const queues = [...model.records.values()].filter((record) => record.kind === 'queue')
  const ofQueues = queues.flatMap(({ queue }) =>
    [`queue:${queue}`, `rate:queue:${queue}`].map((key) => ({ tenant_id: EVERYBODY, key })),
  )
  for (const { tenant_id, key } of [...SLOTS, ...ofQueues]) {
    const at = (now: number) => model.held(tenant_id, key, now)
    const shown = seen(view, tenant_id, key)
    // What is held until a time that has come is held no more; whether it has come only the store knows.
    const [most, least] = [at(span.from), at(span.to)]
    if (most.length === least.length) same(shown, expected(most), `who holds ${key} of ${tenant_id}`)
    else assert(shown.used <= most.length && shown.used >= least.length, `${key}: ${shown.used}`)
  }
  for (const record of queues) same(view.queue(record.queue), record, `queue ${record.queue}`)
  assert.equal(view.queue('that nobody steered'), null)
}

function seen(view: WorkView, tenant_id: string, key: string) {
  return {
    used: view.used(tenant_id, key),
    freeAt: view.freeAt(tenant_id, key),
    holders: view.holders(tenant_id, key).toSorted(),
  }
}

function expected(held: readonly (readonly [owner: string, until: number])[]) {
  const first = Math.min(...held.map(([, until]) => until))
  return {
    used: held.length,
    freeAt: first === Number.POSITIVE_INFINITY ? null : first,
    holders: held.map(([owner]) => owner).toSorted(),
  }
}
