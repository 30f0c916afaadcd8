import type { LedgerState, StepError } from 'waybill'
import type { Pdf } from './library.ts'
import type { Scene } from './scene.ts'

interface Moves {
  /** The state of a document while the step is at work. */
  readonly working: LedgerState
  /** The states it goes through when the step has succeeded. */
  readonly done: readonly LedgerState[]
}

const MOVES: { readonly [step_id: string]: Moves } = {
  download: { working: 'fetching', done: ['fetched'] },
  ocr: { working: 'parsing', done: ['parsed'] },
  parse: { working: 'validating', done: ['validated', 'ir_building', 'ir_ready'] },
  embed: { working: 'embedding', done: ['indexed', 'completed'] },
}

/** A step begins. A document that is still in its working state was left behind by an attempt that fell silent. */
export async function enter({ ledger }: Scene, { tenant_id, doc_id }: Pdf, step_id: string): Promise<void> {
  const working = MOVES[step_id]?.working
  if (working === undefined) return
  const call = { tenant_id, actor: step_id, adapter: step_id }
  if ((await ledger.documents.getState(doc_id, tenant_id)) === working) {
    await ledger.documents.updateState(doc_id, 'retrying', {
      ...call,
      reason: 'the last attempt fell silent',
    })
  }
  await ledger.documents.updateState(doc_id, working, call)
}

export async function succeed({ ledger }: Scene, { tenant_id, doc_id }: Pdf, step_id: string): Promise<void> {
  for (const state of MOVES[step_id]?.done ?? []) {
    await ledger.documents.updateState(doc_id, state, { tenant_id, actor: step_id, adapter: step_id })
  }
}

/** The job decides whether there is another attempt; its document follows. */
export async function fail({ ledger }: Scene, pdf: Pdf, step_id: string, error: StepError): Promise<void> {
  const { tenant_id, doc_id, job_id } = pdf
  const job = await ledger.jobs.get(job_id, tenant_id)
  await ledger.documents.updateState(doc_id, job?.completed_at === null ? 'retrying' : 'failed', {
    tenant_id,
    actor: step_id,
    adapter: step_id,
    error: new Error(`${error.code}: ${error.message}`),
  })
}
