import type { AuditEvent } from '../../../../src/core/audit.ts'
import type { Level } from '../../../../src/core/audit-level.ts'
import type { Machines } from '../../api/machines.ts'
import { ALL_TENANTS } from '../../api/session.ts'
import type { Known } from './filter-meaning.ts'

/** The worst first, and what each means. */
export const LEVELS: { readonly [L in Level]: string } = {
  error: 'Something ended badly',
  warn: 'Refused, to be tried again, or something went wrong with it',
  info: 'Everything that went as it should',
  debug: 'Late or repeated, and nothing came of it',
}

const EVENTS: { readonly [E in AuditEvent]: true } = {
  moved: true,
  noted: true,
  refused: true,
  ignored: true,
}

/** The values of those fields that have a few only. */
export function knownValues(machines: Machines, tenant: string): Known {
  const states = Object.values(machines).flatMap((machine) => Object.keys(machine.states))
  return {
    kind: Object.keys(machines),
    state: [...new Set(states)],
    event: Object.keys(EVENTS),
    level: Object.keys(LEVELS),
    ...(tenant === ALL_TENANTS ? null : { tenant: [tenant] }),
  }
}
