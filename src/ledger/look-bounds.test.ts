// A look goes so far and no further, however much there is, and says so.
import { expect, it } from 'vitest'
import type { Store } from '../store/store.ts'
import { overview } from './overview.ts'
import { radar } from './radar.ts'
import { knownTenants } from './tenants.ts'

const NOW = Date.UTC(2025, 0, 2)
const AT = new Date(NOW).toISOString()
const clock = { now: () => NOW }

const RECORD = {
  tenant_id: 't1',
  job_id: 'j1',
  protocol_id: 'p',
  pipeline_name: null,
  workstream_id: null,
  state: 'IN_PROGRESS',
  current_step_id: 's',
  current_step_index: 0,
  step_id: 's',
  step_index: 0,
  service: 's',
  queue: 's',
  holder: 'w',
  state_since: AT,
  created_at: AT,
  updated_at: AT,
  completed_at: AT,
  waits_for: [],
  depends_on: [],
}

/** Has the same record without end, and counts what was read of it. */
function endless() {
  const read: { [what: string]: number } = {}
  const page = (what: string, limit = 100) => {
    read[what] = (read[what] ?? 0) + limit
    return { items: Array.from({ length: limit }, () => RECORD), next: 'more' }
  }
  const store = {
    find: async ({ kind, limit }: { kind: string; limit?: number }) => page(kind, limit),
    audit: async ({ limit }: { limit?: number }) => page('audit', limit),
    counts: async () => ({ IN_PROGRESS: 1_000_000, PENDING: 1_000_000 }),
    durations: async () => [],
    load: async () => null,
  }
  return { store: store as unknown as Store, read }
}

it('the radar looks at 20,000 open jobs, begun steps and ended jobs', async () => {
  const { store, read } = endless()
  const seen = await radar(store, NOW, { tenant_id: '*', by: 'pipeline', hours: 1 })
  expect(seen).toMatchObject({ is_more: true, rows: [{ open: 20_000, cells: [{ stage: 's' }] }] })
  // A page more each, to know that there is more.
  expect(read).toEqual({ job: 42_000, step: 21_000 })
})

it('the overview looks at 20,000 steps that somebody has, and at as many jobs for those that wait', async () => {
  const { store, read } = endless()
  const told = await overview(store, clock, '*')
  expect(told).toMatchObject({
    waiting: { is_more: true, oldest: [] },
    outbox: { pending: 1_000_000, is_more: true, oldest_at: AT },
    workers: { is_more: true, items: [{ name: 'w', running: 20_000, jobs: { length: 5 } }] },
    runs: { items: { length: 10 } },
  })
  expect(read).toEqual({ step: 21_000, job: 20_000, outbox: 1000, run: 10 })
})

it('tenants are looked for among 20,000 open jobs and as many records of the history', async () => {
  const { store, read } = endless()
  expect(await knownTenants(store, ['default'])).toMatchObject({
    items: [{ tenant_id: 'default' }, { tenant_id: 't1' }],
    is_more: true,
  })
  expect(read).toEqual({ job: 21_000, audit: 21_000 })
})
