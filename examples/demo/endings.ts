import type { Ledger } from 'waybill'
import { TENANTS } from './library.ts'
import { heading, paint } from './paint.ts'

/** Jobs whose end was not up to their own steps: cancelled by somebody, or waiting for other jobs. */
export async function endings(ledger: Ledger): Promise<string[]> {
  return [heading('CANCELLED AND DEPENDENT JOBS'), ...(await cancelled(ledger)), ...(await dependent(ledger))]
}

async function cancelled(ledger: Ledger): Promise<string[]> {
  const { items } = await ledger.audit.query({ kind: 'job', state: 'CANCELLING' })
  return items.map(({ id, actor, reason }) => line(id, `cancelled by ${actor}: ${reason}`))
}

async function dependent(ledger: Ledger): Promise<string[]> {
  const lines: string[] = []
  for (const tenant_id of TENANTS) {
    const { items } = await ledger.jobs.list({ tenant_id, request_type: 'BUILD_INDEX' })
    for (const { job_id, state, depends_on, error_message } of items) {
      const waited = `waited for ${depends_on.length} jobs, then ${state}`
      lines.push(line(job_id, error_message?.replace('It depends on job', 'depends on') ?? waited))
    }
  }
  return lines
}

function line(job_id: string, text: string): string {
  return `    ${job_id.padEnd(22)}${paint('dim', text)}`
}
