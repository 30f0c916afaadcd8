import type { JobAggregate, RecordKey } from '../../core/aggregate.ts'
import type { SlotKey } from '../../core/decision.ts'
import { slotKey } from '../../core/job/limits.ts'
import { queueName, type ReadyHead, type WorkView } from '../../core/pick.ts'
import { EVERYBODY, type QueueRecord, queueLimits } from '../../core/queue/record.ts'
import { TwoKeys } from '../live/two-keys.ts'
import type { LookAtReady } from '../store.ts'
import type { Cell } from './cell.ts'
import { workOf } from './glance.ts'
import { Missing } from './missing.ts'
import { countActive, type SlotState } from './slot-book.ts'
import type { JobRow, Loaded, SlotHolder, Wanted } from './tables.ts'
import type { Workspace } from './workspace.ts'

/** More looks than anybody needs: what is asked for is there the next time. */
const MOST_LOOKS = 1000

/** Thrown through whoever looks, when they ask for something that was not read yet. */
class NotRead extends Error {
  readonly slot: SlotKey | null
  readonly queue: string | null
  readonly holders: SlotKey | null

  constructor(asked: { readonly slot?: SlotKey; readonly queue?: string; readonly holders?: SlotKey }) {
    super('not read yet')
    this.slot = asked.slot ?? null
    this.queue = asked.queue ?? null
    this.holders = asked.holders ?? null
  }
}

export interface Looking {
  readonly space: Workspace
  /** What to show. */
  readonly heads: readonly ReadyHead[]
  load(wanted: Wanted): Promise<Loaded>
  holders(slots: readonly SlotKey[]): Promise<readonly SlotHolder[]>
}

/**
 * Shows ready work and what bears on it. Whoever looks is answered at once. What they are likely to ask for is read before;
 * should they ask for something else, the look is cut short, that is read too, and they are shown everything again.
 */
export async function lookAt<T>(looking: Looking, look: LookAtReady<T>): Promise<T> {
  const { space, heads } = looking
  const holders = new TwoKeys<readonly string[]>()
  const view = new ShownView(space, holders)
  await readLikely(looking, heads, view)
  for (let n = 0; n < MOST_LOOKS; n++) {
    try {
      return look(heads, view)
    } catch (error) {
      if (!(error instanceof NotRead)) throw error
      if (error.holders === null) await read(looking, error)
      else await readHolders(looking, error.holders, holders)
    }
  }
  throw new Error('a look comes to an end')
}

/** The queues, and the limits that the heads and the queues have. */
async function readLikely(looking: Looking, heads: readonly ReadyHead[], view: WorkView): Promise<void> {
  if (heads.length === 0) return
  const { space } = looking
  const names = new Set(heads.map(queueName))
  const first = new Missing()
  first.addKeys([...names].map(queueKey).filter((key) => space.cellOf(key) === undefined))
  for (const { key, ready } of heads) {
    first.addSlots(ready.limits.map((limit) => ({ tenant_id: key.tenant_id, key: slotKey(limit) })))
  }
  if (!first.isEmpty) space.know(await looking.load(first), first)
  const second = new Missing()
  for (const name of names) {
    second.addSlots(
      queueLimits(view.queue(name)).map((limit) => ({ tenant_id: EVERYBODY, key: slotKey(limit) })),
    )
  }
  if (!second.isEmpty) space.know(await looking.load(second), second)
}

async function read({ space, load }: Looking, { slot, queue }: NotRead): Promise<void> {
  const missing = new Missing()
  if (slot !== null) missing.addSlots([slot])
  if (queue !== null) missing.addKeys([queueKey(queue)])
  space.know(await load(missing), missing)
}

async function readHolders(looking: Looking, slot: SlotKey, into: TwoKeys<readonly string[]>): Promise<void> {
  const found = await looking.holders([slot])
  into.set(
    slot.tenant_id,
    slot.key,
    found.map(({ owner }) => owner),
  )
}

export function queueKey(name: string): RecordKey<'queue'> {
  return { kind: 'queue', tenant_id: EVERYBODY, id: name }
}

/** What is ready by what the job itself, which the workspace knows, says: the row that led to it may be older. */
export function headsOf(
  space: Workspace,
  rows: readonly JobRow[],
  queues: readonly string[],
): readonly ReadyHead[] {
  const asked = new Set(queues)
  return rows.flatMap(({ tenant_id, job_id }) => {
    const key = { kind: 'job', tenant_id, id: job_id } as const
    const { now } = space.cellOf(key) as Cell
    const { ready } = workOf(now as JobAggregate)
    return ready !== null && asked.has(ready.queue) ? [{ key, ready }] : []
  })
}

class ShownView implements WorkView {
  readonly #space: Workspace
  readonly #holders: TwoKeys<readonly string[]>

  constructor(space: Workspace, holders: TwoKeys<readonly string[]>) {
    this.#space = space
    this.#holders = holders
  }

  // Whoever looks may take them apart, so they are not methods.

  readonly used = (tenant_id: string, key: string): number => {
    const state = this.#slot(tenant_id, key)
    return state.stored.counted + countActive(state.named(), this.#space.now)
  }

  readonly freeAt = (tenant_id: string, key: string): number | null => {
    let first: number | null = null
    for (const until of this.#slot(tenant_id, key).named().values()) {
      if (until === null || until <= this.#space.now) continue
      if (first === null || until < first) first = until
    }
    return first
  }

  readonly holders = (tenant_id: string, key: string): readonly string[] => {
    const state = this.#slot(tenant_id, key)
    const named = [...state.named()].filter(([, until]) => until === null || until > this.#space.now)
    const names = named.map(([owner]) => owner)
    if (state.stored.counted === 0) return names
    const held = this.#holders.get(tenant_id, key)
    if (held === undefined) throw new NotRead({ holders: { tenant_id, key } })
    return [...names, ...held]
  }

  readonly queue = (name: string): QueueRecord | null => {
    const cell = this.#space.cellOf(queueKey(name))
    if (cell === undefined) throw new NotRead({ queue: name })
    return cell.now as QueueRecord | null
  }

  #slot(tenant_id: string, key: string): SlotState {
    const state = this.#space.slots.stateOf({ tenant_id, key })
    if (state === undefined) throw new NotRead({ slot: { tenant_id, key } })
    return state
  }
}
