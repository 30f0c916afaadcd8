import { type AggregateKind, type AggregateOf, nameOfKey, type RecordKey } from '../core/aggregate.ts'
import type { Given, Needed } from '../core/decision.ts'
import { must } from '../core/must.ts'
import { onlyAsked } from '../core/only-asked.ts'
import type { Store } from '../store/store.ts'

/** More than any decision asks for, one after the other. */
const MOST_ROUNDS = 20

/** Asks a decision what it would say, on what is there now: what it needs is loaded, and what it says is not written. */
export async function askDecision<A extends object>(
  store: Store,
  now: number,
  ask: (given: Given) => A | Needed,
): Promise<A> {
  const loaded = new Map<string, AggregateOf[AggregateKind] | null>()
  const given = onlyAsked(
    now,
    (kind, tenant_id, id) => loaded.get(nameOfKey({ kind, tenant_id, id })) as never,
  )
  for (let round = 0; ; round++) {
    must(round < MOST_ROUNDS, () => 'a decision has all that it needs by now')
    const answer = ask(given)
    if (!isNeed(answer)) return answer
    for (const key of answer.keys) loaded.set(nameOfKey(key), await load(store, key))
  }
}

function isNeed(answer: object): answer is Needed {
  return 'kind' in answer && answer.kind === 'need'
}

function load(store: Store, { kind, tenant_id, id }: RecordKey): Promise<AggregateOf[AggregateKind] | null> {
  return store.load({ kind, tenant_id, id })
}
