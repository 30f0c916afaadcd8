import type { JobAggregate } from '../../core/aggregate.ts'
import type { SlotKey } from '../../core/decision.ts'
import type { ReadyHead, WorkView } from '../../core/pick.ts'
import { EVERYBODY, type QueueRecord } from '../../core/queue/record.ts'
import { TwoKeys } from '../live/two-keys.ts'
import type { LookAtReady } from '../store.ts'
import type { Cell } from './cell.ts'
import { Missing } from './missing.ts'
import { countActive } from './slot-book.ts'
import type { JobRow, Loaded, SlotHolder, Wanted } from './tables.ts'
import type { Workspace } from './workspace.ts'

/** More looks than anybody needs: what is asked for is there the next time. */
const MOST_LOOKS = 1000

export interface Looking {
  readonly space: Workspace
  /** What to show: rows that were ready when they were read. */
  readonly rows: readonly JobRow[]
  readonly queues: readonly string[]
  load(wanted: Wanted): Promise<Loaded>
  holders(slots: readonly SlotKey[]): Promise<readonly SlotHolder[]>
}

/**
 * Shows ready work and what bears on it. Whoever looks may ask for anything and is answered at once; what was not known
 * then is read, and they are shown everything again.
 */
export async function lookAt<T>(looking: Looking, look: LookAtReady<T>): Promise<T> {
  const { space, rows, queues } = looking
  space.knowJobs(rows)
  const heads = headsOf(space, rows, queues)
  const holders = new TwoKeys<readonly string[]>()
  for (let n = 0; n < MOST_LOOKS; n++) {
    const view = new ShownView(space, holders)
    const seen = look(heads, view)
    if (view.missing.isEmpty && view.unknownHolders.length === 0) return seen
    if (!view.missing.isEmpty) space.know(await looking.load(view.missing), view.missing)
    if (view.unknownHolders.length > 0) {
      for (const { tenant_id, key } of view.unknownHolders) holders.set(tenant_id, key, [])
      for (const { tenant_id, key, owner } of await looking.holders(view.unknownHolders)) {
        holders.set(tenant_id, key, [...(holders.get(tenant_id, key) ?? []), owner])
      }
    }
  }
  throw new Error('a look comes to an end')
}

/** What is ready by what the job itself says: the row that led to it may be older. */
function headsOf(space: Workspace, rows: readonly JobRow[], queues: readonly string[]): readonly ReadyHead[] {
  const asked = new Set(queues)
  return rows.flatMap(({ tenant_id, job_id }) => {
    const key = { kind: 'job', tenant_id, id: job_id } as const
    const { now } = space.cellOf(key) as Cell
    const { ready } = (now as JobAggregate).job
    return ready !== null && asked.has(ready.queue) ? [{ key, ready }] : []
  })
}

class ShownView implements WorkView {
  readonly missing = new Missing()
  readonly unknownHolders: SlotKey[] = []
  readonly #space: Workspace
  readonly #holders: TwoKeys<readonly string[]>

  constructor(space: Workspace, holders: TwoKeys<readonly string[]>) {
    this.#space = space
    this.#holders = holders
  }

  used(tenant_id: string, key: string): number {
    const state = this.#slot(tenant_id, key)
    return state === undefined ? 0 : state.stored.counted + countActive(state.named(), this.#space.now)
  }

  freeAt(tenant_id: string, key: string): number | null {
    let first: number | null = null
    for (const until of this.#slot(tenant_id, key)?.named().values() ?? []) {
      if (until === null || until <= this.#space.now) continue
      if (first === null || until < first) first = until
    }
    return first
  }

  holders(tenant_id: string, key: string): readonly string[] {
    const state = this.#slot(tenant_id, key)
    if (state === undefined) return []
    const named = [...state.named()].filter(([, until]) => until === null || until > this.#space.now)
    const names = named.map(([owner]) => owner)
    if (state.stored.counted === 0) return names
    const held = this.#holders.get(tenant_id, key)
    if (held === undefined) this.unknownHolders.push({ tenant_id, key })
    return [...names, ...(held ?? [])]
  }

  queue(name: string): QueueRecord | null {
    const key = { kind: 'queue', tenant_id: EVERYBODY, id: name } as const
    const cell = this.#space.cellOf(key)
    if (cell === undefined) this.missing.addKeys([key])
    return (cell?.now ?? null) as QueueRecord | null
  }

  #slot(tenant_id: string, key: string) {
    const state = this.#space.slots.stateOf({ tenant_id, key })
    if (state === undefined) this.missing.addSlots([{ tenant_id, key }])
    return state
  }
}
