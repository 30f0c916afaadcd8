import type { AggregateKind, AggregateOf } from '../../core/aggregate.ts'
import type {
  Accepted,
  AskedClaim,
  Decision,
  Given,
  IdSource,
  Needed,
  Refused,
  SlotKey,
} from '../../core/decision.ts'
import { must } from '../../core/must.ts'
import type { Devices } from './devices.ts'

/** More answers than any decision can be waiting for: one per slot it asks for. */
const MAX_ROUNDS = 1000

/** What there is to decide on. */
export interface DecisionView {
  readonly devices: Pick<Devices, 'takenClaim' | 'fullSlot'>
  /** Undefined when it is not known whether there is one. */
  aggregate<K extends AggregateKind>(
    kind: K,
    tenant_id: string,
    id: string,
  ): AggregateOf[K] | null | undefined
  ownerOf(claim: AskedClaim): string | undefined
}

class LiveGiven implements Given {
  readonly now: number
  readonly ids: IdSource
  readonly #view: DecisionView
  #full: SlotKey[] | null = null

  constructor(view: DecisionView, now: number, ids: IdSource) {
    this.#view = view
    this.now = now
    this.ids = ids
  }

  get<K extends AggregateKind>(kind: K, tenant_id: string, id: string): AggregateOf[K] | null | undefined {
    return this.#view.aggregate(kind, tenant_id, id)
  }

  ownerOf(claim: AskedClaim): string | undefined {
    return this.#view.ownerOf(claim)
  }

  isFull({ tenant_id, key }: SlotKey): boolean {
    return this.#full?.some((slot) => slot.tenant_id === tenant_id && slot.key === key) === true
  }

  refuseSlot(slot: SlotKey): void {
    must(!this.isFull(slot), `a decision does not ask again for the full slot ${slot.key}`)
    this.#full ??= []
    this.#full.push(slot)
  }
}

/** Calls a decision until every claim and slot it asks for can be had, or it asks for none. */
export function decideOn<A>(
  view: DecisionView,
  now: number,
  ids: IdSource,
  decide: (given: Given) => Decision<A>,
): Accepted<A> | Needed | Refused {
  const given = new LiveGiven(view, now, ids)
  for (let round = 0; ; round++) {
    must(round < MAX_ROUNDS, 'a decision comes to an end')
    const decision = decide(given)
    if (decision.kind !== 'change' || decision.change.takes === false) return decision
    // Jobs that are alike were all looked for, or they would not be.
    const taken = decision.change.births === undefined ? view.devices.takenClaim(decision.change) : undefined
    if (taken !== undefined) must(false, `a decision looks before it claims ${taken.key}`)
    const full = view.devices.fullSlot(decision.change, now)
    if (full === undefined) return decision
    given.refuseSlot(full)
  }
}
