import type { LedgerRecord } from '../../core/aggregate.ts'
import { machines, type RecordKind } from '../../core/machines/all.ts'
import { TwoKeys } from './two-keys.ts'

interface Tally {
  readonly kind: RecordKind
  readonly states: Map<string, number>
}

export interface CountEntry {
  readonly tenant_id: string
  readonly kind: RecordKind
  readonly state: string
  readonly n: number
}

/** How many records of each kind and tenant are in each state, kept as they change. */
export class StateCounts {
  readonly #tallies = new TwoKeys<Tally>()

  replace(before: LedgerRecord | null, after: LedgerRecord): void {
    if (before?.state === after.state) return
    const { states } = this.#tally(after.tenant_id, after.kind)
    if (before !== null) states.set(before.state, (states.get(before.state) ?? 0) - 1)
    states.set(after.state, (states.get(after.state) ?? 0) + 1)
  }

  /** Counts records that are kept elsewhere. */
  add(tenant_id: string, kind: RecordKind, state: string, n: number): void {
    const { states } = this.#tally(tenant_id, kind)
    states.set(state, (states.get(state) ?? 0) + n)
  }

  /** Everything that is counted, zeros left out. */
  *entries(): Generator<CountEntry> {
    for (const [tenant_id, kind, tally] of this.#tallies.entries()) {
      for (const [state, n] of tally.states) {
        if (n !== 0) yield { tenant_id, kind: kind as RecordKind, state, n }
      }
    }
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

  /** How many there are of each kind. */
  totals(): { readonly [K in RecordKind]: number } {
    const sums = {
      document: 0,
      job: 0,
      step: 0,
      outbox: 0,
      run: 0,
      workstream: 0,
      queue: 0,
      schedule: 0,
      token: 0,
    }
    for (const { kind, n } of this.entries()) sums[kind] += n
    return sums
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
