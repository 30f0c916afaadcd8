import { idOf, type LedgerRecord } from '../core/aggregate.ts'
import type { AuditRecord } from '../core/audit.ts'
import { machines, type RecordKind } from '../core/machines/all.ts'
import type { StateCounts } from './live/state-counts.ts'
import type { Finding } from './store.ts'

type Some<T> = Iterable<T> | AsyncIterable<T>

/** What has to tell the same story. */
export interface Checked {
  records(kind: RecordKind): Some<LedgerRecord>
  readonly counts: StateCounts
  readonly history: Some<AuditRecord>
  /** Whether a record's history is looked at; of those that rest on a disk there may be too many. */
  isCompared(kind: RecordKind, tenant_id: string, id: string): boolean
}

/** Checks that records, counts and history tell the same story. */
export async function checkRecords(checked: Checked): Promise<readonly Finding[]> {
  const findings: Finding[] = []
  const told = await lastStates(checked)
  for (const kind of Object.keys(machines) as RecordKind[]) {
    const counted: { [state: string]: number } = {}
    for await (const record of checked.records(kind)) {
      counted[record.state] = (counted[record.state] ?? 0) + 1
      const id = idOf(record)
      if (!checked.isCompared(kind, record.tenant_id, id)) continue
      const where = nameOf(kind, record.tenant_id, id)
      const last = told.get(where) ?? machines[kind].initial
      if (last !== record.state) {
        findings.push({ where, what: `is ${record.state}, but its history ends with ${last}` })
      }
    }
    for (const [state, n] of Object.entries(checked.counts.read(kind))) {
      const there = counted[state] ?? 0
      if (n !== there) findings.push({ where: `${kind} ${state}`, what: `${n} counted, ${there} there` })
    }
  }
  return findings
}

async function lastStates({ history, isCompared }: Checked): Promise<ReadonlyMap<string, string>> {
  const told = new Map<string, string>()
  for await (const { event, kind, tenant_id, id, new_state } of history) {
    if (event === 'moved' && isCompared(kind, tenant_id, id)) told.set(nameOf(kind, tenant_id, id), new_state)
  }
  return told
}

function nameOf(kind: string, tenant_id: string, id: string): string {
  return `${kind} ${tenant_id} ${id}`
}
