/**
 * How a state is to be taken by who looks: `waiting`: nothing is done with the record now; `busy`: work is under way;
 * `retry`: it failed and is going to be tried again; `good`: it is well; `bad`: it ended badly; `stopped`: somebody
 * wanted it to end or to rest.
 */
export type Tone = (typeof TONES)[number]

export const TONES = ['waiting', 'busy', 'retry', 'good', 'bad', 'stopped'] as const

/**
 * A machine is data: states, the edges between them, which states end a record and which ones mean "try again".
 * The TypeScript union, the run-time check, the diagrams and the lanes of a board are all derived from it.
 */
export interface StateSpec<S extends string> {
  /** One line that docs, terminal and page show beside the state. */
  readonly about: string
  readonly tone: Tone
  readonly to: readonly S[]
  /** No work is in flight here; nothing moves the record on by itself. */
  readonly terminal?: true
  /** Entering this state means "it failed, and is going to be tried again". */
  readonly retry?: true
}

export interface Machine<S extends string> {
  readonly name: string
  readonly initial: S
  readonly states: { readonly [K in S]: StateSpec<S> }
}

export type StateOf<M> = M extends Machine<infer S> ? S : never

export function defineMachine<const S extends string>(machine: {
  readonly name: string
  readonly initial: NoInfer<S>
  readonly states: { readonly [K in S]: StateSpec<NoInfer<S>> }
}): Machine<S> {
  return machine
}

export function statesOf<S extends string>(machine: Machine<S>): readonly S[] {
  return Object.keys(machine.states) as S[]
}

/** Those in which something is still to come. */
export function openStatesOf<S extends string>(machine: Machine<S>): readonly S[] {
  return statesOf(machine).filter((state) => !isTerminal(machine, state))
}

export function isStateOf<S extends string>(machine: Machine<S>, value: unknown): value is S {
  return typeof value === 'string' && Object.hasOwn(machine.states, value)
}

export function isEdge<S extends string>(machine: Machine<S>, from: S, to: S): boolean {
  return machine.states[from].to.includes(to)
}

export function nextStates<S extends string>(machine: Machine<S>, from: S): ReadonlySet<S> {
  return new Set(machine.states[from].to)
}

export function isTerminal<S extends string>(machine: Machine<S>, state: S): boolean {
  return machine.states[state].terminal === true
}

/** Undefined for a state that the machine does not have. */
export function toneOf<S extends string>(machine: Machine<S>, state: string): Tone | undefined {
  return isStateOf(machine, state) ? machine.states[state].tone : undefined
}

/** Has an edge into a retry state. */
export function isRetryable<S extends string>(machine: Machine<S>, state: S): boolean {
  return machine.states[state].to.some((next) => machine.states[next].retry === true)
}
