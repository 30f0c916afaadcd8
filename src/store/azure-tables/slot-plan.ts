import type { SlotChange } from '../../core/decision.ts'
import { NO_LIMIT } from '../../core/job/limits.ts'
import type { Workspace } from '../tables/workspace.ts'
import type { Plan, PlannedCell } from './plan.ts'

/** What is taken and given back under limits; who only changes hands is in neither. */
export interface SlotPlan {
  readonly takes: readonly Take[]
  readonly gives: readonly Give[]
  readonly handovers: readonly { readonly from: Give; readonly to: Take }[]
}

export interface Take {
  readonly tenant_id: string
  readonly key: string
  readonly owner: string
  readonly max: number
  readonly until: number | null
  /** The job whose own row says that it holds it. */
  readonly job: PlannedCell | null
}

export interface Give {
  readonly tenant_id: string
  readonly key: string
  readonly owner: string
  readonly job: PlannedCell | null
}

/** Who holds what afterwards and did not before, and the other way round; what changes hands is not given back in between. */
export function slotPlan(space: Workspace, cells: readonly PlannedCell[]): SlotPlan {
  const jobs = new Map(
    cells
      .filter(({ before }) => before.key.kind === 'job')
      .map((cell) => [`${cell.before.key.tenant_id}\n${cell.before.key.id}`, cell]),
  )
  const takes: Take[] = []
  const gives: Give[] = []
  const seen = new Set<string>()
  for (const change of space.slotChanges) {
    const { tenant_id, key, owner } = change
    const name = `${tenant_id}\n${key}\n${owner}`
    if (seen.has(name)) continue
    seen.add(name)
    const job = jobs.get(`${tenant_id}\n${owner}`) ?? null
    const { before, after } = job === null ? namedHold(space, change) : jobHold(space, change, job)
    if (after !== null && (before === null || before.until !== after.until)) {
      takes.push({ tenant_id, key, owner, max: maxOf(space.slotChanges, change), until: after.until, job })
    } else if (before !== null && after === null) gives.push({ tenant_id, key, owner, job })
  }
  return withHandovers(takes, gives)
}

/**
 * Whether a place is taken that nothing written will tell to be free: one that is given back at once, or that comes from
 * somebody else. Then the limit has to have been read.
 */
export function takesUnread(space: Workspace, { slots }: Plan): boolean {
  return space.slotChanges.some((change) => {
    if (change.verb !== 'take' || change.max >= NO_LIMIT) return false
    if (space.slots.stateOf(change)?.isFresh === true) return false
    return !slots.takes.some(
      ({ tenant_id, key, owner }) =>
        owner === change.owner && key === change.key && tenant_id === change.tenant_id,
    )
  })
}

interface Hold {
  readonly until: number | null
}

interface Holds {
  readonly before: Hold | null
  readonly after: Hold | null
}

function jobHold(space: Workspace, { key }: SlotChange, { before }: PlannedCell): Holds {
  const now = space.cellOf(before.key)?.holds ?? []
  const hold = (keys: readonly string[]) => (keys.includes(key) ? { until: null } : null)
  return { before: hold(before.holds), after: hold(now) }
}

function namedHold(space: Workspace, { tenant_id, key, owner }: SlotChange): Holds {
  const state = space.slots.stateOf({ tenant_id, key })
  const hold = (until: number | null | undefined): Hold | null =>
    until === undefined || (until !== null && until <= space.now) ? null : { until }
  return {
    before: hold(new Map(state?.stored.named).get(owner)),
    after: hold(state?.named().get(owner)),
  }
}

function maxOf(changes: readonly SlotChange[], { tenant_id, key, owner }: SlotChange): number {
  const taking = changes.findLast(
    (change) =>
      change.verb === 'take' &&
      change.owner === owner &&
      change.key === key &&
      change.tenant_id === tenant_id,
  )
  return taking?.verb === 'take' ? taking.max : Number.MAX_SAFE_INTEGER
}

function withHandovers(takes: Take[], gives: Give[]): SlotPlan {
  const handovers: { from: Give; to: Take }[] = []
  const left = gives.filter((from) => {
    const at = takes.findIndex(
      (to) => to.key === from.key && to.tenant_id === from.tenant_id && to.until === null,
    )
    if (at === -1) return true
    handovers.push({ from, to: takes.splice(at, 1)[0] as Take })
    return false
  })
  return { takes, gives: left, handovers }
}
