import assert from 'node:assert/strict'
import { idOf } from '../../../core/aggregate.ts'
import { machines, type RecordKind } from '../../../core/machines/all.ts'
import type { AuditQuery, FindQuery } from '../../../store/query.ts'
import type { Store } from '../../../store/store.ts'
import { auditAll, findAll } from '../reading.ts'
import { TENANTS } from './arbitrary-parts.ts'
import type { ReferenceLedger, Told } from './reference-ledger.ts'
import {
  auditIn,
  countsIn,
  findIn,
  headsIn,
  jobsIn,
  keyOfJob,
  nextDueIn,
  sortHeads,
  untoldIn,
} from './reference-reads.ts'
import { same, sameHistory } from './same.ts'
import { mustShow, type Span } from './shown-view.ts'

const KINDS = Object.keys(machines) as readonly RecordKind[]

const ALL_QUEUES = ['read', 'push:send', 'push:ocr', 'push:embedding', 'push:nobody']

/** What a step of a history changed. */
export interface Step {
  readonly kinds: ReadonlySet<RecordKind>
  readonly told: readonly Told[]
  readonly span: Span
}

/** Looks at everything that the step may have changed, in every way a reader can. */
export async function observeStep(store: Store, model: ReferenceLedger, step: Step): Promise<void> {
  for (const kind of KINDS) {
    if (step.kinds.has(kind)) await observeKind(store, model, kind)
    else await observeFind(store, model, { kind, limit: 1000 })
  }
  if (step.kinds.has('job')) await observeJobs(store, model)
  await observeWork(store, model, step.span)
  for (const query of queriesAbout(step.told)) await observeAudit(store, model, query)
}

/** Looks at everything there is. */
export async function observeAll(store: Store, model: ReferenceLedger, span: Span): Promise<void> {
  await observeStep(store, model, { kinds: new Set(KINDS), told: model.log.slice(-3), span })
  assert.equal(await store.nextDue(), nextDueIn(model), 'the next timer, when all signals were delivered')
  for (const limit of [1, 7]) {
    await observeAudit(store, model, { limit })
    await observeAudit(store, model, { limit, direction: 'desc' })
  }
  if (store.capabilities.counts === 'exact') {
    const { records, audit_records } = await store.stats()
    for (const kind of KINDS) assert.equal(records[kind], findIn(model, { kind }).length)
    assert.equal(audit_records, model.log.length)
  }
  assert.deepEqual(await store.check(), [], 'the store finds no fault with itself')
}

async function observeKind(store: Store, model: ReferenceLedger, kind: RecordKind): Promise<void> {
  const { findOrders, counts } = store.capabilities
  for (const order of findOrders) {
    await observeFind(store, model, { kind, order, limit: 1 })
    await observeFind(store, model, { kind, order, limit: 3, direction: 'desc' })
  }
  for (const tenant_id of TENANTS) await observeFind(store, model, { kind, tenant_id, limit: 2 })
  const records = findIn(model, { kind })
  const some = records[Math.floor(records.length / 2)]
  if (some !== undefined) {
    await observeFind(store, model, { kind, where: { state: some.state }, limit: 2 })
    const at = some.kind === 'document' ? some.updated_at * 1000 : Date.parse(some.updated_at)
    await observeFind(store, model, { kind, changedFrom: Math.round(at) })
    await observeFind(store, model, { kind, changedBefore: Math.round(at) })
    const got = await store.get({ kind, tenant_id: some.tenant_id, id: idOf(some) })
    same(got, some, `get ${kind}`)
  }
  if (counts !== 'exact') return
  for (const tenant_id of [undefined, ...TENANTS]) {
    const counted = Object.entries(await store.counts(kind, tenant_id)).filter(([, n]) => n !== 0)
    same(counted.toSorted(), Object.entries(countsIn(model, kind, tenant_id)).toSorted(), `counts of ${kind}`)
  }
}

async function observeFind(store: Store, model: ReferenceLedger, query: FindQuery): Promise<void> {
  same(await findAll(store, query), findIn(model, query), `find ${JSON.stringify(query)}`)
}

async function observeJobs(store: Store, model: ReferenceLedger): Promise<void> {
  for (const job of jobsIn(model)) {
    same(await store.load(keyOfJob(job)), model.load(keyOfJob(job)), `load ${job.job_id}`)
  }
}

async function observeWork(store: Store, model: ReferenceLedger, span: Span): Promise<void> {
  await observeNextDue(store, model)
  for (const perGroup of [1, 2, 100]) {
    const heads = await store.ready(ALL_QUEUES, perGroup, (shown, view) => {
      mustShow(view, model, span)
      return sortHeads(shown)
    })
    same(heads, headsIn(model, ALL_QUEUES, perGroup), `heads, ${perGroup} of each group`)
  }
}

/** While anybody has to be told something, that is due; a store may also have signals that concern nobody any more. */
export async function observeNextDue(store: Store, model: ReferenceLedger): Promise<void> {
  const due = await store.nextDue()
  const { pending_signals } = await store.stats()
  const isSignalled = untoldIn(model).length > 0 || pending_signals > 0
  assert.equal(due, isSignalled ? 0 : nextDueIn(model), 'the next timer')
}

async function observeAudit(store: Store, model: ReferenceLedger, query: AuditQuery): Promise<void> {
  const found = await auditAll(store, query)
  sameHistory(found, auditIn(model, query), store.capabilities.order, `audit ${JSON.stringify(query)}`)
}

/** Questions whose answers have just changed, by each field in turn. */
function queriesAbout(told: readonly Told[]): readonly AuditQuery[] {
  const last = told.at(-1)
  if (last === undefined) return []
  const { tenant_id, kind, id, job_id, doc_id, adapter, error_type, actor, event, new_state } = last
  const at = Math.round(last.timestamp * 1000)
  return [
    { tenant_id, kind, id, limit: 2 },
    { tenant_id, kind, id, direction: 'desc', limit: 3 },
    { tenant_id, job_id: job_id ?? undefined, doc_id: doc_id ?? undefined },
    { state: new_state, adapter },
    { actor, event, error_type: error_type ?? undefined },
    { from: at },
    { before: at, tenant_id },
  ]
}
