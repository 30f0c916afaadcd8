import assert from 'node:assert/strict'
import { idOf, isAtRest } from '../../../src/core/aggregate.ts'
import type { AuditRecord } from '../../../src/core/audit.ts'
import { machines, type RecordKind } from '../../../src/core/machines/all.ts'
import { fromIso } from '../../../src/core/time.ts'
import { START, type Store } from '../../../src/store/store.ts'
import { auditAll, findAll, plain } from '../../../src/testing/conformance/reading.ts'
import { advanceAll } from '../../../src/testing/conformance/work.ts'

const KINDS = Object.keys(machines) as readonly RecordKind[]
const QUEUES = ['read', 'push:ocr', 'push:embedding', 'push:send', 'check', 'index']

/** Everything that is due is done. */
export async function settle(store: Store): Promise<void> {
  for (let round = 0; round < 20; round++) {
    const told = await advanceAll(store, 'signalled')
    const fired = await advanceAll(store, 'due')
    if (told.length + fired.length === 0) return
  }
  assert.fail('everything is done in the end')
}

/** What the ledger comes to: names that the store makes up are left out. */
export async function summary(store: Store): Promise<readonly string[]> {
  const lines: string[] = []
  for (const kind of KINDS) {
    for (const record of await findAll(store, { kind })) {
      lines.push(`${kind} ${kind === 'outbox' ? '' : `${record.tenant_id} ${idOf(record)}`} ${record.state}`)
    }
  }
  for (const { kind, id, event, old_state, new_state } of await auditAll(store)) {
    lines.push(`told ${kind} ${kind === 'outbox' ? '' : id} ${event} ${old_state} ${new_state}`)
  }
  for await (const { tenant_id, key, owner } of store.claims())
    lines.push(`claim ${tenant_id} ${key} ${owner}`)
  return lines.sort()
}

/** What holds of every ledger, whatever happened to whom. */
export async function obeysLaws(store: Store): Promise<void> {
  assert.deepEqual(await store.check(), [])
  const told = await auditAll(store)
  assert.equal(new Set(told.map(({ cursor }) => cursor)).size, told.length, 'each at a place of its own')
  await mustTellEachRecord(store, told)
  await mustFollow(store, told)
  await mustFindWork(store)
  await mustHoldPlaces(store)
  for (const kind of KINDS) {
    const counts: { [state: string]: number } = {}
    for (const { state } of await findAll(store, { kind })) counts[state] = (counts[state] ?? 0) + 1
    const counted = Object.fromEntries(Object.entries(await store.counts(kind)).filter(([, n]) => n !== 0))
    assert.deepEqual(counted, counts, `${kind} are counted`)
  }
}

/** Each record came from one state to the next, to where it is, and its own history says the same as that of all. */
async function mustTellEachRecord(store: Store, told: readonly AuditRecord[]): Promise<void> {
  for (const kind of KINDS) {
    for (const record of await findAll(store, { kind })) {
      const { tenant_id, state } = record
      const id = idOf(record)
      const own = told.filter((one) => one.kind === kind && one.id === id && one.tenant_id === tenant_id)
      const moved = own.filter(({ event }) => event === 'moved')
      for (const [n, { old_state }] of moved.entries()) {
        if (n > 0) assert.equal(old_state, moved[n - 1]?.new_state, `${kind} ${id} goes from state to state`)
      }
      assert.equal(
        moved.at(-1)?.new_state ?? machines[kind].initial,
        state,
        `${kind} ${id} is where it came to`,
      )
      const alone = await auditAll(store, { kind, id, tenant_id })
      const bare = ({ cursor: _, ...rest }: AuditRecord) => plain(rest)
      assert.deepEqual(alone.map(bare), own.map(bare), `${kind} ${id} is told alike`)
    }
  }
}

/** A follower from the very beginning sees everything once. */
async function mustFollow(store: Store, told: readonly AuditRecord[]): Promise<void> {
  const seen: AuditRecord[] = []
  if (told.length === 0) return
  for await (const record of store.watch({ after: START })) {
    seen.push(record)
    if (seen.length === told.length) break
  }
  assert.deepEqual(plain(seen), plain(told))
}

async function mustFindWork(store: Store): Promise<void> {
  const jobs = await findAll(store, { kind: 'job' })
  const shown = await store.ready(QUEUES, 100, (heads) =>
    heads.map(({ key }) => `${key.tenant_id} ${key.id}`),
  )
  const ready = jobs
    .filter((job) => job.ready !== null)
    .map(({ tenant_id, job_id }) => `${tenant_id} ${job_id}`)
  assert.deepEqual(shown.toSorted(), ready.toSorted(), 'ready work is found')
  const times = jobs.flatMap(({ due_at }) => (due_at === null ? [] : [fromIso(due_at)]))
  assert.equal(await store.nextDue(), times.length === 0 ? null : Math.min(...times), 'timers are set')
}

async function mustHoldPlaces(store: Store): Promise<void> {
  const jobs = await findAll(store, { kind: 'job' })
  for (const tenant_id of new Set(jobs.map((job) => job.tenant_id))) {
    const open = jobs.filter((job) => job.tenant_id === tenant_id && !isAtRest(job))
    const held = await store.ready([], 1, (_, view) => view.holders(tenant_id, 'in-flight'))
    assert.deepEqual(held.toSorted(), open.map(({ job_id }) => job_id).toSorted(), 'open jobs hold places')
  }
}
