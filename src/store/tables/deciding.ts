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
 * Makes all decisions in one workspace, at once when nothing has to be read. Those that need something which is not there yet wait
 * for it together and are made after the others: whoever asks at the same time has no order.
 */
export function decideAll(
  space: Workspace,
  askers: readonly Asker[],
  load: (wanted: Wanted) => Promise<Loaded>,
): readonly Answer[] | Promise<readonly Answer[]> {
  const answers = new Array<Answer>(askers.length)
  const left = tryEach(space, askers, [...askers.keys()], answers)
  return left === null ? answers : decideLeft(space, askers, left, answers, load)
}

/** Those that wait, and what for. */
interface Left {
  readonly waiting: readonly number[]
  readonly missing: Missing
}

async function decideLeft(
  space: Workspace,
  askers: readonly Asker[],
  first: Left,
  answers: Answer[],
  load: (wanted: Wanted) => Promise<Loaded>,
): Promise<readonly Answer[]> {
  let left: Left | null = first
  for (let question = 0; question < MOST_QUESTIONS; question++) {
    const { waiting, missing }: Left = left
    space.know(await load(missing), missing)
    left = tryEach(space, askers, waiting, answers)
    if (left === null) return answers
  }
  throw new Error('a decision comes to an end')
}

/** Null when none of them waits. */
function tryEach(
  space: Workspace,
  askers: readonly Asker[],
  some: readonly number[],
  answers: Answer[],
): Left | null {
  let missing: Missing | null = null
  const waiting: number[] = []
  for (const index of some) {
    const answer = tryOne(space, askers[index] as Asker)
    if (answer instanceof Missing) {
      missing ??= new Missing()
      missing.add(answer)
      waiting.push(index)
    } else {
      answers[index] = answer
    }
  }
  return missing === null ? null : { waiting, missing }
}

function tryOne(space: Workspace, { decide, keys }: Asker): Answer | Missing {
  try {
    const tried = space.try(decide, keys)
    return tried instanceof Missing ? tried : { outcome: tried }
  } catch (error) {
    return { error }
  }
}
