import type { ReadyHead } from '../../core/pick.ts'
import { groupName, tenantOfGroup } from '../live/remaining-work.ts'
import type { Waits } from './shelf.ts'
import type { ReadyKey } from './tables.ts'

/** More that came while the end of a group was being read are found by reading once more. */
const MOST_CAME = 10_000

/**
 * Up to where the ready work of a group is known: what comes behind that place is where it is found, and is read when it is its
 * turn. Some of it may be found only when everything is in its place: what this process has seen come is not read over.
 */
export class Horizon {
  readonly queue: string
  readonly tenant_id: string
  readonly group: string
  #rank: number
  #job_id: string
  #hidesFrom = Number.POSITIVE_INFINITY
  #came: Waits[] | null = null

  constructor({ queue, tenant_id, group, rank, job_id }: ReadyKey) {
    this.queue = queue
    this.tenant_id = tenant_id
    this.group = group
    this.#rank = rank
    this.#job_id = job_id
  }

  /** The last place that is known. */
  get place(): ReadyKey {
    const { queue, tenant_id, group } = this
    return { queue, tenant_id, group, rank: this.#rank, job_id: this.#job_id }
  }

  /** Some work of this rank or behind it may not be where it is found; infinite when there is none. */
  get hidesFrom(): number {
    return this.#hidesFrom
  }

  has({ key: { id }, ready: { rank } }: ReadyHead): boolean {
    return rank < this.#rank || (rank === this.#rank && id <= this.#job_id)
  }

  /** It came, and is not kept in mind. */
  hide(head: Waits): void {
    if (this.#came !== null && this.#came.length < MOST_CAME) this.#came.push(head)
    else this.#hidesFrom = Math.min(this.#hidesFrom, head.ready.rank)
  }

  /** What is behind that rank is in the tail. */
  hideFrom(rank: number): void {
    this.#hidesFrom = Math.min(this.#hidesFrom, rank)
  }

  /** From here on all that is there is read, wherever it was before. */
  beginToReadAll(): void {
    this.#hidesFrom = Number.POSITIVE_INFINITY
    this.#came = []
  }

  /** It is known up to there. Answers what came meanwhile and is known by now. */
  reach({ rank, job_id }: ReadyKey): readonly Waits[] {
    this.#rank = rank
    this.#job_id = job_id
    const came = this.#came ?? []
    this.#came = null
    for (const head of came) if (!this.has(head)) this.hide(head)
    return came.filter((head) => this.has(head))
  }

  /** There is nothing more. Answers what came meanwhile; null when some of that has to be read. */
  end(): readonly Waits[] | null {
    if (this.#hidesFrom !== Number.POSITIVE_INFINITY) return null
    return this.#came ?? []
  }
}

/** The groups of which not all is known. */
export class Horizons {
  readonly #queues = new Map<string, Map<string, Horizon>>()

  get isAny(): boolean {
    return this.#queues.size > 0
  }

  of({ queue, tenant_id, group }: Pick<ReadyKey, 'queue' | 'tenant_id' | 'group'>): Horizon | undefined {
    return this.#queues.get(queue)?.get(groupName(tenant_id, group))
  }

  /** Those of some queues, and of some tenants or all. */
  *some(queues: readonly string[], tenants?: readonly string[]): Generator<Horizon> {
    for (const queue of queues) {
      for (const [name, horizon] of this.#queues.get(queue) ?? []) {
        if (tenants === undefined || tenants.includes(tenantOfGroup(name))) yield horizon
      }
    }
  }

  add(place: ReadyKey): Horizon {
    const { queue, tenant_id, group } = place
    let groups = this.#queues.get(queue)
    if (groups === undefined) {
      groups = new Map()
      this.#queues.set(queue, groups)
    }
    const horizon = new Horizon(place)
    groups.set(groupName(tenant_id, group), horizon)
    return horizon
  }

  delete({ queue, tenant_id, group }: Horizon): void {
    const groups = this.#queues.get(queue)
    groups?.delete(groupName(tenant_id, group))
    if (groups?.size === 0) this.#queues.delete(queue)
  }

  deleteOf(queue: string): void {
    this.#queues.delete(queue)
  }

  clear(): void {
    this.#queues.clear()
  }
}
