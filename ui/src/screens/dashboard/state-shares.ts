// How many records are in each state, in the order of the lifecycle.
import type { Machine, Tone } from '../../../../src/core/machine.ts'

export interface StateShare {
  readonly state: string
  readonly tone: Tone
  readonly about: string
  readonly count: number
  /** Something is still to come. */
  readonly isOpen: boolean
}

export type Counts = { readonly [state: string]: number }

export function sharesOf({ states }: Machine<string>, counts: Counts): readonly StateShare[] {
  return Object.entries(states).map(([state, { tone, about, terminal }]) => ({
    state,
    tone,
    about,
    count: counts[state] ?? 0,
    isOpen: terminal !== true,
  }))
}

export function sumOf(shares: readonly StateShare[]): number {
  return shares.reduce((sum, { count }) => sum + count, 0)
}

/** States as a link names them. */
export function namesOf(shares: readonly StateShare[]): string {
  return shares.map(({ state }) => state).join(',')
}
