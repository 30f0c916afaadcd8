import { type Board, type BoardCard, cardOf } from '../core/group/board.ts'
import { fixOf, LANE_SPECS, LANES } from '../core/group/lane.ts'
import { OPEN_JOB } from '../core/group/member-jobs.ts'
import type { WorkstreamRecord } from '../core/group/workstream-record.ts'
import type { JobRecord } from '../core/job/record.ts'
import type { JobState } from '../core/machines/job.ts'
import type { WorkstreamState } from '../core/machines/workstream.ts'
import { findPages } from '../store/find-all.ts'
import type { Store } from '../store/store.ts'

export interface BoardQuery {
  /** All tenants when absent. */
  readonly tenant_id: string | undefined
  readonly run_id?: string | undefined
}

/** Workstreams of each group of states that are shown, those that changed last first. */
const MOST_CARDS = 50

/** Jobs of those that are counted, taken together, and open ones that are looked at for one that is being put right. */
const MOST_JOBS = 5000
const MOST_OPEN = 1000

/** Of each workstream so many of them. */
const MOST_LOOKED_AT = 20

const NEWEST = { order: 'changed', direction: 'desc' } as const

/** Workstreams by how they are. */
export async function board(store: Store, now: number, query: BoardQuery): Promise<Board> {
  const pages = new Map<readonly WorkstreamState[], Shown>()
  for (const states of GROUPS) pages.set(states, await shown(store, now, query, states))
  return {
    lanes: LANES.map((lane) => {
      const { about, states } = LANE_SPECS[lane]
      const { cards, is_more } = pages.get(groupOf(states)) as Shown
      return { lane, about, items: cards.filter((card) => card.lane === lane), is_more }
    }),
  }
}

interface Shown {
  readonly cards: readonly BoardCard[]
  readonly is_more: boolean
}

/** Lanes of the same states are looked for at once. */
const GROUPS = [
  ...new Map(LANES.map((lane) => [nameOf(LANE_SPECS[lane].states), LANE_SPECS[lane].states])).values(),
]

function groupOf(states: readonly WorkstreamState[]): readonly WorkstreamState[] {
  return GROUPS.find((group) => nameOf(group) === nameOf(states)) as readonly WorkstreamState[]
}

function nameOf(states: readonly WorkstreamState[]): string {
  return states.join()
}

async function shown(
  store: Store,
  now: number,
  { tenant_id, run_id }: BoardQuery,
  state: readonly WorkstreamState[],
): Promise<Shown> {
  const where = { state, run_id }
  const page = await store.find({ kind: 'workstream', tenant_id, where, ...NEWEST, limit: MOST_CARDS })
  const jobs = await jobsOf(store, page.items, { tenant_id, most: MOST_JOBS })
  const mayBeFixing = state.some((one) => LANE_SPECS.fixing.states.includes(one))
  const open = mayBeFixing
    ? (await jobsOf(store, page.items, { tenant_id, state: OPEN_JOB, most: MOST_OPEN })).byOwner
    : NONE
  const cards: BoardCard[] = []
  for (const workstream of page.items) {
    const owner = ownerOf(workstream)
    const fixed = await fixing(store, open.get(owner) ?? [])
    const own = jobs.byOwner.get(owner) ?? []
    cards.push(cardOf(workstream, { now, jobs: own, is_more: jobs.is_more, fixing: fixed }))
  }
  return { cards, is_more: page.next !== null }
}

const NONE: ReadonlyMap<string, readonly JobRecord[]> = new Map()

interface JobsQuery {
  readonly tenant_id: string | undefined
  readonly state?: readonly JobState[]
  readonly most: number
}

/** The newest jobs of all of them: where no index knows workstreams, looking for those of each would take as long. */
async function jobsOf(
  store: Store,
  workstreams: readonly WorkstreamRecord[],
  { tenant_id, state, most }: JobsQuery,
) {
  if (workstreams.length === 0) return { byOwner: NONE, is_more: false }
  const where = { workstream_id: workstreams.map(({ workstream_id }) => workstream_id), state }
  const found: JobRecord[] = []
  let is_more = false
  for await (const page of findPages(store, { kind: 'job', tenant_id, where, ...NEWEST })) {
    is_more = found.length + page.length > most
    found.push(...page)
    if (is_more) break
  }
  return { byOwner: Map.groupBy(found, ownerOf), is_more }
}

/** Tenants may have given their workstreams the same names. */
function ownerOf({ tenant_id, workstream_id }: JobRecord | WorkstreamRecord): string {
  return JSON.stringify([tenant_id, workstream_id])
}

async function fixing(store: Store, open: readonly JobRecord[]) {
  for (const { tenant_id, job_id: id } of open.slice(0, MOST_LOOKED_AT)) {
    const aggregate = await store.load({ kind: 'job', tenant_id, id })
    const fix = aggregate === null ? null : fixOf(aggregate)
    if (aggregate !== null && fix !== null) return { job: aggregate.job, fix }
  }
  return null
}
