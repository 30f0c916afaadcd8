import type { AuditRecord } from '../../../core/audit.ts'
import type { LiveLedger } from '../../../runtime/live-ledger.ts'
import type { Logger } from '../../../world/logger.ts'
import { AttemptReport } from '../worker/attempt-report.ts'

/** Says of each attempt and directive what came of it, until the signal is aborted. */
export async function logWork(ledger: LiveLedger, logger: Logger, signal: AbortSignal): Promise<void> {
  const report = new AttemptReport()
  for await (const record of ledger.events({ signal })) {
    if (!report.take(record)) continue
    const { tenant_id, job_id, kind, new_state, error_type, error_message, actor } = record
    const why = error_type === null ? null : { error_type, error_message }
    logger[levelOf(record)]({ tenant_id, job_id, kind, ...why, actor }, `${nameOf(record)}: ${new_state}`)
  }
}

function levelOf({ event, new_state }: AuditRecord): 'info' | 'warn' {
  return event === 'moved' && (new_state === 'SUCCEEDED' || new_state === 'SENT') ? 'info' : 'warn'
}

function nameOf({ kind, job_id, metadata }: AuditRecord): string {
  return `${kind} ${job_id}/${metadata.step_id} #${metadata.attempt_no}`
}
