import type { LedgerRecord } from '../../core/aggregate.ts'
import { machines, type RecordKind } from '../../core/machines/all.ts'
import { TwoKeys } from './two-keys.ts'

interface Tally {
  readonly kind: RecordKind
  readonly states: Map<string, number>
}

/** How many records of each kind and tenant are in each state, kept as they change. */
export class StateCounts {
  readonly #tallies = new TwoKeys<Tally>()

  replace(before: LedgerRecord | undefined, after: LedgerRecord): void {
    if (before?.state === after.state) return
    const { states } = this.#tally(after.tenant_id, after.kind)
    if (before !== undefined) states.set(before.state, (states.get(before.state) ?? 0) - 1)
    states.set(after.state, (states.get(after.state) ?? 0) + 1)
  }

  /** Of one tenant, or of all; every state of the machine is named, zeros too. */
  read(kind: RecordKind, tenant_id?: string): { readonly [state: string]: number } {
    const sum: { [state: string]: number } = {}
    for (const state of Object.keys(machines[kind].states)) sum[state] = 0
    for (const tally of this.#tallies.values(tenant_id)) {
      if (tally.kind !== kind) continue
      for (const [state, n] of tally.states) sum[state] = (sum[state] ?? 0) + n
    }
    return sum
  }

  #tally(tenant_id: string, kind: RecordKind): Tally {
    let tally = this.#tallies.get(tenant_id, kind)
    if (tally === undefined) {
      tally = { kind, states: new Map() }
      this.#tallies.set(tenant_id, kind, tally)
    }
    return tally
  }
}
