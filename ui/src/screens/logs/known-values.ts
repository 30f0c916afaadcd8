import type { Machines } from '../../api/machines.ts'
import { ALL_TENANTS } from '../../api/session.ts'
import { EVENT_NAMES, LEVEL_NAMES } from '../../api/vocabulary.ts'
import type { Known } from './filter-meaning.ts'

/** The values of those fields that have a few only. */
export function knownValues(machines: Machines, tenant: string): Known {
  const states = Object.values(machines).flatMap((machine) => Object.keys(machine.states))
  return {
    kind: Object.keys(machines),
    state: [...new Set(states)],
    event: EVENT_NAMES,
    level: LEVEL_NAMES,
    ...(tenant === ALL_TENANTS ? null : { tenant: [tenant] }),
  }
}
