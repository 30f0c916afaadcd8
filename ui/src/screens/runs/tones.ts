import type { Machine, Tone } from '../../../../src/core/machine.ts'

export interface ToneShare {
  readonly tone: Tone
  readonly count: number
  /** `3 FAILED_FINAL`, for every state of this tone that there is. */
  readonly said: string
}

/** The best first, so that bars are read as progress. */
const ORDER: readonly Tone[] = ['good', 'busy', 'retry', 'waiting', 'stopped', 'bad']

/** Counts of states, put together by how they are to be taken; what there is none of is left out. */
export function tonesOf(machine: Machine<string>, counts: { readonly [state: string]: number }) {
  const states = Object.entries(machine.states).filter(([state]) => (counts[state] ?? 0) > 0)
  return ORDER.flatMap((tone): ToneShare[] => {
    const own = states.filter(([, spec]) => spec.tone === tone).map(([state]) => state)
    if (own.length === 0) return []
    return [
      {
        tone,
        count: own.reduce((sum, state) => sum + (counts[state] ?? 0), 0),
        said: own.map((state) => `${counts[state]} ${state}`).join(', '),
      },
    ]
  })
}
