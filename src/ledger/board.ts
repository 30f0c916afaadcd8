import { type Board, type BoardCard, cardOf } from '../core/group/board.ts'
import { fixOf, LANE_SPECS, LANES } from '../core/group/lane.ts'
import { OPEN_JOB } from '../core/group/member-jobs.ts'
import type { WorkstreamRecord } from '../core/group/workstream-record.ts'
import type { JobRecord } from '../core/job/record.ts'
import type { WorkstreamState } from '../core/machines/workstream.ts'
import type { Store } from '../store/store.ts'

export interface BoardQuery {
  /** All tenants when absent. */
  readonly tenant_id: string | undefined
  readonly run_id?: string | undefined
}

/** Workstreams of each group of states that are shown, those that changed last first. */
const MOST_CARDS = 50

/** Jobs of each that are counted. */
const MOST_JOBS = 200

/** Open jobs of each that are looked at for one that is being put right. */
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
  const cards: BoardCard[] = []
  for (const workstream of page.items) cards.push(await card(store, now, workstream))
  return { cards, is_more: page.next !== null }
}

async function card(store: Store, now: number, workstream: WorkstreamRecord): Promise<BoardCard> {
  const { tenant_id, workstream_id, state } = workstream
  const query = { kind: 'job', tenant_id, ...NEWEST } as const
  const { items, next } = await store.find({ ...query, where: { workstream_id }, limit: MOST_JOBS })
  const where = { workstream_id, state: OPEN_JOB }
  const mayBeFixing = LANE_SPECS.fixing.states.includes(state)
  const open = mayBeFixing ? (await store.find({ ...query, where, limit: MOST_LOOKED_AT })).items : []
  return cardOf(workstream, { now, jobs: items, is_more: next !== null, fixing: await fixing(store, open) })
}

async function fixing(store: Store, open: readonly JobRecord[]) {
  for (const { tenant_id, job_id: id } of open) {
    const aggregate = await store.load({ kind: 'job', tenant_id, id })
    const fix = aggregate === null ? null : fixOf(aggregate)
    if (aggregate !== null && fix !== null) return { job: aggregate.job, fix }
  }
  return null
}
