import { idOf } from '../../core/aggregate.ts'
import type { AuditRecord } from '../../core/audit.ts'
import { machines, type RecordKind } from '../../core/machines/all.ts'
import type { Finding } from '../store.ts'
import type { LiveState } from './live-state.ts'

/** Checks that records, counts and history tell the same story. */
export function checkLive(live: LiveState, history: Iterable<AuditRecord>): readonly Finding[] {
  const findings: Finding[] = []
  const told = new Map<string, string>()
  for (const record of history) {
    if (record.event === 'moved') told.set(name(record.kind, record.tenant_id, record.id), record.new_state)
  }
  for (const kind of Object.keys(machines) as RecordKind[]) {
    const counted: { [state: string]: number } = {}
    for (const record of live.records(kind)) {
      counted[record.state] = (counted[record.state] ?? 0) + 1
      const where = name(kind, record.tenant_id, idOf(record))
      const last = told.get(where) ?? machines[kind].initial
      if (last !== record.state) {
        findings.push({ where, what: `is ${record.state}, but its history ends with ${last}` })
      }
    }
    for (const [state, n] of Object.entries(live.counts.read(kind))) {
      const there = counted[state] ?? 0
      if (n !== there) findings.push({ where: `${kind} ${state}`, what: `${n} counted, ${there} there` })
    }
  }
  return findings
}

function name(kind: string, tenant_id: string, id: string): string {
  return `${kind} ${tenant_id} ${id}`
}
