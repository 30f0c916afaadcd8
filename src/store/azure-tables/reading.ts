import type { AggregateKind, AggregateOf, RecordKey, RecordOf } from '../../core/aggregate.ts'
import type { RecordKind } from '../../core/machines/all.ts'
import type { Parts } from './parts.ts'

export async function loadAggregate<K extends AggregateKind>(
  { settling }: Parts,
  key: RecordKey<K>,
): Promise<AggregateOf[K] | null> {
  const { aggregate } = await settling.shown(key as RecordKey)
  return aggregate as AggregateOf[K] | null
}

export async function getRecord<K extends RecordKind>(
  parts: Parts,
  key: RecordKey<K>,
): Promise<RecordOf[K] | null> {
  return (await recordOf(parts, key)) as RecordOf[K] | null
}

async function recordOf(
  parts: Parts,
  { kind, tenant_id, id }: RecordKey<RecordKind>,
): Promise<RecordOf[RecordKind] | null> {
  switch (kind) {
    case 'job':
      return (await loadAggregate(parts, { kind, tenant_id, id }))?.job ?? null
    case 'step': {
      const slash = id.lastIndexOf('/')
      if (slash === -1) return null
      const job = await loadAggregate(parts, { kind: 'job', tenant_id, id: id.slice(0, slash) })
      return job?.steps.find(({ step_id }) => step_id === id.slice(slash + 1)) ?? null
    }
    case 'outbox': {
      const row = await parts.projections.findOutbox(tenant_id, id)
      return row === null ? null : parts.scanning.outboxOfRow(row)
    }
    default:
      return loadAggregate(parts, { kind, tenant_id, id })
  }
}
