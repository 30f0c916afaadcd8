import { z } from 'zod'
import { type Machine, statesOf } from '../../core/machine.ts'
import { machines, type RecordKind } from '../../core/machines/all.ts'
import { oneOrAll } from '../../ledger/tenant-to-find.ts'
import { ledgerStatsSchema, machinesSchema } from '../openapi/records/ledger-schemas.ts'
import { tenantQuery } from '../request/query.ts'
import { ok, type Route, route } from '../route.ts'

/** Kinds that tenants have records of. */
const COUNTED = ['document', 'job', 'step', 'outbox', 'run', 'workstream', 'schedule'] as const

const statsSchema = z
  .strictObject({
    tenant_id: z.string(),
    counts: z.record(z.enum(COUNTED), z.record(z.string(), z.int())),
    ledger: ledgerStatsSchema.optional().describe('Only for those who are for all tenants'),
  })
  .meta({ id: 'Stats' })

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
    answers: { 200: { about: 'Counts by kind and state, zeros too', schema: statsSchema } },
    async handle({ server: { ledger }, tenant_id, principal }) {
      const counts: { [kind: string]: { [state: string]: number } } = {}
      for (const kind of COUNTED) {
        counts[kind] = allStates(kind, await ledger.counts(kind, oneOrAll(tenant_id)))
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
    answers: { 200: { about: 'The machines, by kind', schema: machinesSchema } },
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
