import type { RecordKey } from '../../core/aggregate.ts'
import type { Decision, Given } from '../../core/decision.ts'
import type { Outcome } from '../store.ts'
import { Missing } from './missing.ts'
import type { Loaded, Wanted } from './tables.ts'
import type { Workspace } from './workspace.ts'

/** More questions than any decision needs: it asks for what it does not have, and has it then. */
const MOST_QUESTIONS = 1000

/** One who waits for a decision. */
export interface Asker<A = unknown> {
  /** What it is about, as far as it said so. */
  readonly keys?: readonly RecordKey[]
  readonly decide: (given: Given) => Decision<A>
}

export type Answer<A = unknown> =
  | { readonly outcome: Outcome<A> }
  /** The decision threw. */
  | { readonly error: unknown }

/**
 * Makes all decisions in one workspace. Those that need something which is not there yet wait for it together and are made
 * after the others: whoever asks at the same time has no order.
 */
export async function decideAll(
  space: Workspace,
  askers: readonly Asker[],
  load: (wanted: Wanted) => Promise<Loaded>,
): Promise<readonly Answer[]> {
  const answers = new Array<Answer>(askers.length)
  let waiting = askers.map((_, index) => index)
  for (let question = 0; question < MOST_QUESTIONS; question++) {
    const missing = new Missing()
    const left: number[] = []
    for (const index of waiting) {
      const answer = tryOne(space, askers[index] as Asker)
      if (answer instanceof Missing) {
        missing.add(answer)
        left.push(index)
      } else {
        answers[index] = answer
      }
    }
    if (left.length === 0) return answers
    waiting = left
    space.know(await load(missing), missing)
  }
  throw new Error('a decision comes to an end')
}

function tryOne(space: Workspace, { decide, keys }: Asker): Answer | Missing {
  try {
    const tried = space.try(decide, keys)
    return tried instanceof Missing ? tried : { outcome: tried }
  } catch (error) {
    return { error }
  }
}
