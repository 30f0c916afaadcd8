import type { RecordKey } from '../../../src/core/aggregate.ts'
import type { Change, Decision, Given } from '../../../src/core/decision.ts'
import type { Store, Sweep } from '../../../src/store/store.ts'
import type { World } from '../../../src/world/world.ts'
import { Facade } from '../facade.ts'

/** A mistake that somebody could make in an engine, and the topics of the suite that have to notice. */
export interface Fault {
  readonly name: string
  readonly caughtBy: readonly string[]
  plant(sound: Store, world: World): Store
}

/** Changes what decisions say on their way into the store. */
export class Meddler extends Facade {
  readonly #meddle: <A>(decision: Decision<A>) => Decision<A>

  constructor(sound: Store, meddle: <A>(decision: Decision<A>) => Decision<A>) {
    super(sound)
    this.#meddle = meddle
  }

  override transact<A>(keys: readonly RecordKey[], decide: (given: Given) => Decision<A>) {
    return super.transact(keys, (given) => this.#meddle(decide(given)))
  }

  override sweep<A>(selector: Sweep, decide: (key: RecordKey, given: Given) => Decision<A>) {
    return super.sweep(selector, (key, given) => this.#meddle(decide(key, given)))
  }
}

/** A fault in what is written of a change. */
export function writes(
  name: string,
  caughtBy: readonly string[],
  forget: (change: Change) => Partial<Change>,
): Fault {
  return {
    name,
    caughtBy,
    plant: (sound) =>
      new Meddler(sound, (decision) =>
        decision.kind === 'change'
          ? { ...decision, change: { ...decision.change, ...forget(decision.change) } }
          : decision,
      ),
  }
}

/** A fault in how some verbs are carried out; the others work. */
export function verbs(
  name: string,
  caughtBy: readonly string[],
  replace: (sound: Store, world: World) => Partial<Store>,
): Fault {
  return {
    name,
    caughtBy,
    plant: (sound, world) => Object.assign(new Facade(sound), replace(sound, world)),
  }
}
