import { z } from 'zod'
import { type Machine, statesOf } from '../../core/machine.ts'
import { machines, type RecordKind } from '../../core/machines/all.ts'
import { EVERYBODY } from '../../core/queue/record.ts'
import { tenantQuery } from '../request/query.ts'
import { ok, type Route, route } from '../route.ts'

/** Kinds that tenants have records of. */
const COUNTED = ['document', 'job', 'step', 'outbox', 'run', 'workstream', 'schedule'] as const

export const statsRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/v1/stats',
    operation: 'getStats',
    summary: 'How many records are in each state, and how the ledger is',
    about: 'What concerns the ledger as a whole is only told to those who are for all tenants.',
    needs: 'read',
    acrossTenants: true,
    query: z.strictObject(tenantQuery),
    answers: { 200: { about: 'Counts by kind and state, zeros too' } },
    async handle({ server: { ledger }, tenant_id, principal }) {
      const isAll = tenant_id === EVERYBODY
      const counts: { [kind: string]: { [state: string]: number } } = {}
      for (const kind of COUNTED) {
        counts[kind] = allStates(kind, await ledger.counts(kind, isAll ? undefined : tenant_id))
      }
      return ok({
        tenant_id,
        counts,
        ...(principal.tenants === null ? { ledger: await ledger.stats() } : null),
      })
    },
  }),
  route({
    method: 'GET',
    path: '/v1/machines',
    operation: 'listMachines',
    summary: 'The states of each kind of record, and where each may go',
    needs: 'read',
    answers: { 200: { about: 'The machines, by kind' } },
    handle: () => ok(machines),
  }),
]

function allStates(
  kind: RecordKind,
  counts: { readonly [state: string]: number },
): { [state: string]: number } {
  return Object.fromEntries(
    statesOf(machines[kind] as Machine<string>).map((state) => [state, counts[state] ?? 0]),
  )
}
