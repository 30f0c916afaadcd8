import type { Machine } from '../../../../src/core/machine.ts'

/** What can be done, and the state that it leads to. */
export interface Verb {
  readonly verb: 'pause' | 'resume'
  readonly title: string
  readonly to: string
}

export const QUEUE_VERBS: readonly Verb[] = [
  { verb: 'pause', title: 'Pause', to: 'paused' },
  { verb: 'resume', title: 'Resume', to: 'running' },
]

export const SCHEDULE_VERBS: readonly Verb[] = [
  { verb: 'pause', title: 'Pause', to: 'paused' },
  { verb: 'resume', title: 'Resume', to: 'active' },
]

/** Those that would change something, by the machine. What was taken away is put back in another way. */
export function verbsFor(machine: Machine<string>, state: string, verbs: readonly Verb[]): readonly Verb[] {
  const spec = machine.states[state]
  if (spec === undefined || spec.terminal === true) return []
  return verbs.filter(({ to }) => to !== state && spec.to.includes(to))
}
