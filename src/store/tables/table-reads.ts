// Reading: rows become records again.
import {
  type AggregateKind,
  type AggregateOf,
  ALONE_KINDS,
  type AloneKind,
  type JobAggregate,
  type RecordKey,
  type RecordOf,
} from '../../core/aggregate.ts'
import type { ClaimKey } from '../../core/decision.ts'
import type { OutboxRecord, StepRecord } from '../../core/job/record.ts'
import { isAlike } from '../../core/job/stride.ts'
import type { RecordKind } from '../../core/machines/all.ts'
import { present } from '../../core/must.ts'
import type { Capabilities } from '../capabilities.ts'
import { type Placed, pageOf, placeAfter, placeOfRecord } from '../live/find-records.ts'
import { type FindQuery, findOrder, type Page, pageSize } from '../query.ts'
import { cellOfJob, cellOfRecord } from './cell.ts'
import { decodeJob } from './job-codec.ts'
import { type Find, type FoundOutbox, NOTHING_WANTED, type Tables } from './tables.ts'

export async function loadAggregate<K extends AggregateKind>(
  tables: Tables,
  key: RecordKey<K>,
): Promise<AggregateOf[K] | null> {
  const {
    jobs,
    records,
    cells = [],
  } = await tables.load(
    key.kind === 'job'
      ? { ...NOTHING_WANTED, jobs: [key as RecordKey] }
      : { ...NOTHING_WANTED, records: [key as RecordKey] },
  )
  const [job] = jobs
  const [record] = records
  const read = job !== undefined ? cellOfJob(job) : record !== undefined ? cellOfRecord(record) : null
  const { aggregate = null } = cells[0] ?? read ?? {}
  return (isAlike(aggregate) ? plainJob(aggregate) : aggregate) as AggregateOf[K] | null
}

/** One of which nobody has made the records yet. */
function plainJob({ job, steps, outbox }: JobAggregate): JobAggregate {
  return { job, steps, outbox }
}

export async function getRecord<K extends RecordKind>(
  tables: Tables,
  key: RecordKey<K>,
): Promise<RecordOf[K] | null> {
  return (await recordOf(tables, key)) as RecordOf[K] | null
}

async function recordOf(
  tables: Tables,
  { kind, tenant_id, id }: RecordKey<RecordKind>,
): Promise<RecordOf[RecordKind] | null> {
  switch (kind) {
    case 'job':
      return (await loadAggregate(tables, { kind, tenant_id, id }))?.job ?? null
    case 'step': {
      const slash = id.lastIndexOf('/')
      if (slash === -1) return null
      const job = await loadAggregate(tables, { kind: 'job', tenant_id, id: id.slice(0, slash) })
      return job?.steps.find(({ step_id }) => step_id === id.slice(slash + 1)) ?? null
    }
    case 'outbox': {
      const found = await tables.outboxRow(tenant_id, id)
      return found === null ? null : outboxOf(found)
    }
    default:
      return loadAggregate(tables, { kind, tenant_id, id })
  }
}

export async function ownerIn(tables: Tables, claim: ClaimKey): Promise<string | null> {
  const { claims } = await tables.load({ ...NOTHING_WANTED, claims: [claim] })
  return claims[0]?.owner ?? null
}

export async function findIn<K extends RecordKind>(
  tables: Tables,
  query: FindQuery<K>,
  capabilities: Capabilities,
): Promise<Page<RecordOf[K]>> {
  const order = findOrder(query, capabilities)
  const find: Find = {
    tenant_id: query.tenant_id,
    where: query.where,
    changedFrom: query.changedFrom,
    changedBefore: query.changedBefore,
    order,
    isDescending: query.direction === 'desc',
    after: placeAfter(query, order),
    limit: pageSize(query.limit) + 1,
  }
  const found: readonly Placed[] = (await recordsFor(tables, query.kind, find)).map((record) => ({
    record,
    place: placeOfRecord(record, query, order),
  }))
  return pageOf([found], query)
}

/** In the order asked for. */
export async function recordsFor(
  tables: Tables,
  kind: RecordKind,
  find: Find,
): Promise<readonly RecordOf[RecordKind][]> {
  if ((ALONE_KINDS as readonly string[]).includes(kind)) {
    const rows = await tables.findRecords(kind as AloneKind, find)
    return rows.map((row) => cellOfRecord(row).aggregate as RecordOf[AloneKind])
  }
  if (kind === 'job') return (await tables.findJobs(find)).map((row) => decodeJob(row).aggregate.job)
  if (kind === 'outbox') return (await tables.findOutbox(find)).map(outboxOf)
  return (await tables.findSteps(find)).map(({ job, step_index }) => {
    const { steps } = cellOfJob(job).aggregate as JobAggregate
    return present<StepRecord>(steps[step_index], 'a step that was found is there')
  })
}

function outboxOf(found: FoundOutbox): OutboxRecord {
  if ('closed' in found) return JSON.parse(found.closed.body)
  const { outbox } = decodeJob(found.job).aggregate
  const row = outbox.find(({ outbox_id }) => outbox_id === found.outbox_id)
  return present(row, 'an outbox row that was found is there')
}
