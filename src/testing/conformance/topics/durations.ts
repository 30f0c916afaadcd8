import assert from 'node:assert/strict'
import type { AuditRecord } from '../../../core/audit.ts'
import type { DurationRow } from '../../../core/durations.ts'
import type { DurationsQuery } from '../../../store/query.ts'
import type { Topic } from '../check.ts'
import { moveDocument, onJob, report, SUCCESS, submitJob, TENANT } from '../commands.ts'
import { auditAll } from '../reading.ts'
import type { Scene } from '../scene.ts'
import { claimJob, succeed } from '../work.ts'

/** How far off a quantile may be. */
const RELATIVE_ERROR = 0.01

/** Documents that stay for very different times, with two adapters, in two tenants; jobs; and what must not count. */
async function makeHistory(scene: Scene): Promise<void> {
  for (const [i, seconds] of [0, 0.003, 0.25, 1, 1, 2, 7, 60, 3600, 86_400].entries()) {
    const adapter = i % 3 === 0 ? 'web' : 'disk'
    const tenant_id = i % 4 === 0 ? 'Zeta' : TENANT
    await scene.do(moveDocument(`d${i}`, 'fetching', { tenant_id, adapter }))
    await scene.pass(seconds * 1000)
    await scene.do(moveDocument(`d${i}`, 'fetched', { tenant_id }))
    await scene.pass(1000)
    if (i % 2 === 0) await scene.do(moveDocument(`d${i}`, 'parsing', { tenant_id }))
  }
  await scene.refusalOf(moveDocument('d1', 'completed'))
  await scene.do(submitJob('j'))
  await scene.pass(5000)
  await succeed(scene, 'j')
  await scene.do(onJob('cancelJob', 'j'))
}

/** The same from the history, read from end to end. */
function measured(records: readonly AuditRecord[], query: DurationsQuery): readonly DurationRow[] {
  const groups = new Map<string, AuditRecord[]>()
  for (const record of records) {
    const { event, duration_seconds, kind, old_state, adapter, timestamp } = record
    const at = Math.round(timestamp * 1000)
    const isWanted =
      event === 'moved' &&
      duration_seconds !== null &&
      (query.tenant_id ?? record.tenant_id) === record.tenant_id &&
      (query.kind ?? kind) === kind &&
      (query.state ?? old_state) === old_state &&
      (query.adapter ?? adapter) === adapter &&
      at >= (query.from ?? at) &&
      (query.before === undefined || at < query.before)
    if (!isWanted) continue
    const name = JSON.stringify([kind, old_state, query.by === 'state' ? null : adapter])
    groups.set(name, [...(groups.get(name) ?? []), record])
  }
  return [...groups.keys()].toSorted().map((name) => rowOf(groups.get(name) ?? [], query))
}

function rowOf(records: readonly AuditRecord[], { tenant_id, by }: DurationsQuery): DurationRow {
  const seconds = records.map(({ duration_seconds }) => duration_seconds ?? 0).toSorted((a, b) => a - b)
  const rank = (q: number) => seconds[Math.ceil(q * seconds.length) - 1] as number
  const { kind, old_state, adapter } = records[0] as AuditRecord
  return {
    ...(tenant_id === undefined ? null : { tenant_id }),
    kind,
    state: old_state as string,
    adapter: by === 'state' ? null : adapter,
    count: seconds.length,
    mean_seconds: seconds.reduce((sum, one) => sum + one, 0) / seconds.length,
    p50_seconds: rank(0.5),
    p95_seconds: rank(0.95),
    p99_seconds: rank(0.99),
    max_seconds: rank(1),
  }
}

/** To the millisecond, and quantiles within one in a hundred. */
function sameRows(actual: readonly DurationRow[], expected: readonly DurationRow[], what: string): void {
  const names = (rows: readonly DurationRow[]) =>
    rows.map(({ tenant_id, kind, state, adapter, count }) => ({ tenant_id, kind, state, adapter, count }))
  assert.deepEqual(names(actual), names(expected), what)
  for (const [i, row] of expected.entries()) {
    const found = actual[i] as DurationRow
    const isNear = (field: 'mean' | 'p50' | 'p95' | 'p99' | 'max', error: number) => {
      const [is, should] = [found[`${field}_seconds`], row[`${field}_seconds`]]
      const told = `${what}: ${field} of ${row.kind} ${row.state} ${row.adapter} is ${is}, not ${should}`
      assert(Math.abs(is - should) <= should * error + 1e-9, told)
    }
    isNear('mean', 1e-9)
    isNear('max', 1e-9)
    for (const field of ['p50', 'p95', 'p99'] as const) isNear(field, RELATIVE_ERROR)
  }
}

export const durations: Topic = {
  topic: 'durations',
  checks: [
    {
      name: 'measures nothing where nothing moved',
      async run(scene) {
        assert.deepEqual(await scene.store.durations({}), [])
        await scene.do(moveDocument('d', 'fetching'))
        assert.deepEqual(await scene.store.durations({}), [], 'what is new was in no state before')
      },
    },
    {
      name: 'A33 measures how long records stay in each state, by kind and adapter',
      async run(scene) {
        await makeHistory(scene)
        const expected = measured(await auditAll(scene.store), {})
        assert(expected.some(({ kind }) => kind === 'job') && expected.length > 5)
        sameRows(await scene.store.durations({}), expected, 'all durations')
      },
    },
    {
      name: 'filters by every field and by time',
      async run(scene) {
        await makeHistory(scene)
        const all = await auditAll(scene.store)
        const middle = Math.round((all[Math.floor(all.length / 2)]?.timestamp ?? 0) * 1000)
        const queries: readonly DurationsQuery[] = [
          { tenant_id: TENANT },
          { tenant_id: 'Zeta' },
          { kind: 'document' },
          { kind: 'step' },
          { state: 'fetching' },
          { state: 'fetched', tenant_id: 'Zeta' },
          { adapter: 'web' },
          { by: 'state' },
          { by: 'state', kind: 'document', from: middle },
          { by: 'adapter', tenant_id: TENANT },
          { from: middle },
          { before: middle },
          { from: middle, before: middle + 1 },
          { kind: 'document', state: 'fetching', adapter: 'disk', tenant_id: TENANT, before: middle + 1 },
        ]
        for (const query of queries) {
          const expected = measured(all, query)
          assert(expected.length > 0, `the history has something for ${JSON.stringify(query)}`)
          sameRows(await scene.store.durations(query), expected, JSON.stringify(query))
        }
        assert.deepEqual(await scene.store.durations({ adapter: 'nobody' }), [])
      },
    },
    {
      name: 'measures the same after compaction and when it is opened again',
      reopens: true,
      async run(scene) {
        await makeHistory(scene)
        const all = await auditAll(scene.store)
        const middle = Math.round((all[Math.floor(all.length / 2)]?.timestamp ?? 0) * 1000)
        for (const query of [{}, { tenant_id: 'Zeta' }, { from: middle }]) {
          const expected = measured(all, query)
          await scene.store.maintain()
          sameRows(await scene.store.durations(query), expected, 'after compaction')
          await scene.reopen()
          sameRows(await scene.store.durations(query), expected, 'when opened again')
        }
      },
    },
    {
      name: 'counts tenants as one, unless one is asked for',
      async run(scene) {
        for (const [tenant_id, seconds] of [
          [TENANT, 2],
          ['Zeta', 4],
        ] as const) {
          await scene.do(moveDocument('d', 'fetching', { tenant_id }))
          await scene.pass(seconds * 1000)
          await scene.do(moveDocument('d', 'fetched', { tenant_id }))
        }
        const [both, ...more] = await scene.store.durations({})
        assert.deepEqual([both?.count, both?.mean_seconds, both?.max_seconds, more], [2, 3, 4, []])
        assert.equal(both?.tenant_id, undefined)
        const [one] = await scene.store.durations({ tenant_id: 'Zeta' })
        assert.deepEqual([one?.tenant_id, one?.count, one?.mean_seconds], ['Zeta', 1, 4])
      },
    },
    {
      name: 'counts states that were only passed through, with no time, and nothing that did not move',
      async run(scene) {
        await scene.do(submitJob('j'))
        await scene.pass(3000)
        const step = await claimJob(scene, 'j')
        await scene.refusalOf(report({ ...step, lease_id: 'another' }, SUCCESS))
        const rows = await scene.store.durations({ kind: 'step' })
        assert.deepEqual(
          rows.map(({ state, count, max_seconds }) => [state, count, max_seconds]),
          [
            ['AWAITING_ACK', 1, 0],
            ['DISPATCHING', 1, 0],
            ['PENDING', 1, 3],
          ],
        )
      },
    },
  ],
}
