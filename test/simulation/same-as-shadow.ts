import { isDeepStrictEqual } from 'node:util'
import { idOf, type LedgerRecord } from '../../src/core/aggregate.ts'
import type { RecordKind } from '../../src/core/machines/all.ts'
import { findAll } from '../../src/store/find-all.ts'
import type { Store } from '../../src/store/store.ts'
import { law } from './law-broken.ts'
import { nameOf, type Shadow } from './shadow.ts'

const KINDS = [
  'job',
  'step',
  'outbox',
  'queue',
  'schedule',
  'document',
  'run',
  'workstream',
  'token',
] as const satisfies readonly RecordKind[]

/** What was acknowledged is there, what was refused is not: record by record, and claim by claim. */
export async function mustHoldShadow(store: Store, shadow: Shadow): Promise<void> {
  for (const kind of KINDS) {
    const expected = new Map(
      recordsOf(shadow, kind).map((record) => [nameOf(record.tenant_id, idOf(record)), record]),
    )
    const counts: { [state: string]: number } = {}
    for await (const record of findAll(store, { kind })) {
      const name = nameOf(record.tenant_id, idOf(record))
      const wanted = expected.get(name)
      law(wanted !== undefined, () => `${kind} ${name} is in the store, and nobody was told of it`)
      await mustBeSame(store, record, wanted)
      expected.delete(name)
      counts[record.state] = (counts[record.state] ?? 0) + 1
    }
    const [lost] = expected.keys()
    law(lost === undefined, () => `${kind} ${lost} was acknowledged, and is not in the store`)
    const counted = Object.entries(await store.counts(kind)).filter(([, n]) => n > 0)
    law(
      isDeepStrictEqual(Object.fromEntries(counted), counts),
      () => `${kind}s are counted as ${JSON.stringify(counted)}`,
    )
  }
  await mustHoldClaims(store, shadow)
}

/**
 * Etags are compared where the store itself makes them. Those of a service in between are its own: nobody who died before its
 * answer came ever knew them. There a list has to say the same as the record itself, so that whoever goes by it can.
 */
async function mustBeSame(store: Store, record: LedgerRecord, wanted: LedgerRecord): Promise<void> {
  const { kind, tenant_id } = record
  const id = idOf(record)
  const isOwn = store.capabilities.engine !== 'azure-tables'
  const same = isOwn ? wanted : { ...wanted, etag: (await store.get({ kind, tenant_id, id }))?.etag }
  law(isDeepStrictEqual(record, same), () => `${kind} ${id} is ${differences(record, same as LedgerRecord)}`)
}

async function mustHoldClaims(store: Store, { claims }: Shadow): Promise<void> {
  const found = new Map<string, string>()
  for await (const { tenant_id, key, owner } of store.claims()) found.set(nameOf(tenant_id, key), owner)
  for (const [name, owner] of claims) {
    law(found.get(name) === owner, () => `the claim ${name} of ${owner} is ${found.get(name)}'s in the store`)
  }
  law(found.size === claims.size, () => `the store has ${found.size} claims, ${claims.size} were made`)
}

function recordsOf(shadow: Shadow, kind: (typeof KINDS)[number]): LedgerRecord[] {
  switch (kind) {
    case 'job':
      return [...shadow.jobs.values()].map(({ job }) => job)
    case 'step':
      return [...shadow.jobs.values()].flatMap(({ steps }) => steps)
    case 'outbox':
      return [...shadow.rows.values()]
    case 'queue':
      return [...shadow.queues.values()]
    case 'schedule':
      return [...shadow.schedules.values()]
    case 'document':
      return [...shadow.documents.values()]
    case 'run':
      return [...shadow.runs.values()]
    case 'workstream':
      return [...shadow.workstreams.values()]
    case 'token':
      return [...shadow.tokens.values()]
  }
}

function differences(found: LedgerRecord, wanted: LedgerRecord): string {
  const all = [found, wanted] as unknown as [{ [field: string]: unknown }, { [field: string]: unknown }]
  const fields = Object.keys({ ...all[0], ...all[1] }).filter(
    (field) => !isDeepStrictEqual(all[0][field], all[1][field]),
  )
  return fields
    .map((field) => `${field} ${JSON.stringify(all[0][field])} and not ${JSON.stringify(all[1][field])}`)
    .join('; ')
}
