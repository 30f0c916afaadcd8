/** Queues in which a lane had nothing to do, and in which nothing was heard of since. */
export class IdleQueues {
  readonly #lanes = new Map<number, Set<string>>()
  /** How often something was heard of a lane. */
  readonly #heard = new Map<number, number>()

  has(lane: number, queues: readonly string[]): boolean {
    const idle = this.#lanes.get(lane)
    return idle !== undefined && queues.every((queue) => idle.has(queue))
  }

  /** What was heard so far. */
  now(lanes: readonly number[]): ReadonlyMap<number, number> {
    return new Map(lanes.map((lane) => [lane, this.#heard.get(lane) ?? 0]))
  }

  /** Nothing is in them but what was taken, when they were looked at from then on. */
  add(lanes: readonly number[], queues: readonly string[], then: ReadonlyMap<number, number>): void {
    for (const lane of lanes) {
      if (then.get(lane) !== (this.#heard.get(lane) ?? 0)) continue
      const idle = this.#lanes.get(lane) ?? new Set()
      for (const queue of queues) idle.add(queue)
      this.#lanes.set(lane, idle)
    }
  }

  /** There is something in these queues; or there may be in any, where they are not known. */
  hear(lane: number, queues: readonly string[] | null): void {
    if (queues?.length === 0) return
    this.#heard.set(lane, (this.#heard.get(lane) ?? 0) + 1)
    if (queues === null) this.#lanes.delete(lane)
    else for (const queue of queues) this.#lanes.get(lane)?.delete(queue)
  }
}
