import type { JobAggregate, LedgerRecord, RecordKey } from '../../../src/core/aggregate.ts'
import type { Change, Decision, Given } from '../../../src/core/decision.ts'
import type { StepRecord } from '../../../src/core/job/record.ts'
import type { Store, Sweep } from '../../../src/store/store.ts'
import { Facade } from '../../conformance/facade.ts'

type Meddle = <A>(decision: Decision<A>, given: Given) => Decision<A>
type Look = (given: Given) => Given

/** Changes what decisions see on their way out of the store, and what they say on their way in. */
class Meddler extends Facade {
  readonly #look: Look
  readonly #meddle: Meddle

  constructor(sound: Store, look: Look, meddle: Meddle) {
    super(sound)
    this.#look = look
    this.#meddle = meddle
  }

  override transact<A>(keys: readonly RecordKey[], decide: (given: Given) => Decision<A>) {
    return super.transact(keys, (given) => this.#meddle(decide(this.#look(given)), given))
  }

  override sweep<A>(selector: Sweep, decide: (key: RecordKey, given: Given) => Decision<A>) {
    return super.sweep(selector, (key, given) => this.#meddle(decide(key, this.#look(given)), given))
  }
}

/** Everything that it writes, record by record. */
function asWritten({ puts, audit, claims, slots, signals }: Change): Change {
  return { puts, audit, claims, slots, signals }
}

/** Spoils changes that are accepted. */
export function spoilt(spoil: (change: Change, given: Given) => Partial<Change>) {
  return (sound: Store): Store =>
    new Meddler(
      sound,
      (given) => given,
      (decision, given) =>
        decision.kind === 'change'
          ? { ...decision, change: { ...asWritten(decision.change), ...spoil(decision.change, given) } }
          : decision,
    )
}

/** Spoils records that are written. */
export function spoiltPuts(spoil: (put: LedgerRecord, given: Given) => LedgerRecord) {
  return spoilt(({ puts }, given) => ({ puts: puts.map((put) => spoil(put, given)) }))
}

/** Shows decisions something else than what is there; what they then say can be spoilt as well. */
export function misled(
  look: (given: Given) => Partial<Given>,
  spoil: (change: Change, given: Given) => Partial<Change> = () => ({}),
) {
  return (sound: Store): Store =>
    new Meddler(
      sound,
      (given) => shown(given, look(given)),
      (decision, given) =>
        decision.kind === 'change'
          ? { ...decision, change: { ...asWritten(decision.change), ...spoil(decision.change, given) } }
          : decision,
    )
}

/** Without the claims that somebody has already: a store would not let anybody have them. */
export function unclaimed({ claims }: Change, given: Given): Pick<Change, 'claims'> {
  return { claims: claims.filter((claim) => given.ownerOf(claim) === undefined) }
}

/** What is given, with some of it exchanged. */
export function shown(given: Given, other: Partial<Given>): Given {
  return {
    now: given.now,
    ids: given.ids,
    get: (...key) => given.get(...key),
    ownerOf: (claim) => given.ownerOf(claim),
    isFull: (slot) => given.isFull(slot),
    ...other,
  }
}

/** The step as it was before a decision on it. */
export function stepBefore(put: StepRecord, given: Given): StepRecord | undefined {
  const aggregate = given.get('job', put.tenant_id, put.job_id) as JobAggregate | null | undefined
  return aggregate?.steps[put.step_index]
}
