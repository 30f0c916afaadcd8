import { type AuditRecord, expandHop, hopsOf } from '../../../core/audit.ts'
import { entriesOf, type Line } from '../lines/line.ts'

/** The audit records of a line, in order. The first has the line's own seq, the others those that follow. */
export function recordsOf(line: Line): AuditRecord[] {
  const records: AuditRecord[] = []
  for (const entry of entriesOf(line)) {
    for (let hop = 0; hop < hopsOf(entry); hop++) {
      records.push(expandHop(entry, hop, line.seq + records.length))
    }
  }
  return records
}
