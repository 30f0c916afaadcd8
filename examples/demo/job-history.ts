import type { AuditRecord, Ledger } from 'waybill'
import { clock, heading, paint, withoutTime } from './paint.ts'

/** Everything that happened to one job: states that a record passed through at once share a line. */
export async function jobHistory(
  ledger: Ledger,
  { job_id, tenant_id, beganMs }: { job_id: string; tenant_id: string; beganMs: number },
): Promise<string[]> {
  const lines: { first: AuditRecord; last: AuditRecord; path: string }[] = []
  for await (const record of ledger.jobs.history(job_id, tenant_id)) {
    const line = lines.at(-1)
    const goesOn = line?.last.id === record.id && line.last.timestamp === record.timestamp
    if (goesOn) {
      line.path += ` → ${record.new_state}`
      line.last = record
    } else {
      lines.push({ first: record, last: record, path: `→ ${record.new_state}` })
    }
  }
  return [
    heading(`THE HISTORY OF ${job_id}`),
    paint('dim', `    ${'after'.padEnd(9)}${'what'.padEnd(14)}${'went'.padEnd(43)}by`),
    ...lines.flatMap(({ first, last, path }) => [
      `    ${clock(first.timestamp * 1000 - beganMs).padEnd(9)}${whatOf(first).padEnd(14)}${path.padEnd(43)}${first.actor}`,
      ...(last.error_type === null
        ? []
        : [paint('red', `${' '.repeat(27)}${last.error_type}: ${withoutTime(String(last.error_message))}`)]),
    ]),
  ]
}

function whatOf({ kind, metadata }: AuditRecord): string {
  return kind === 'job' ? 'job' : `${kind} ${metadata.step_id}`
}
