import type { Commands, LedgerState, StepError } from 'waybill'
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
export async function entering({ ledger }: Scene, { tenant_id, doc_id }: Pdf, step_id: string) {
  const working = MOVES[step_id]?.working
  const call = { tenant_id, actor: step_id, adapter: step_id }
  const isLeft = (await ledger.documents.getState(doc_id, tenant_id)) === working
  return (make: Commands) => {
    if (working === undefined) return []
    const enter = make.updateState(doc_id, working, call)
    if (!isLeft) return [enter]
    const reason = 'the last attempt fell silent'
    return [make.updateState(doc_id, 'retrying', { ...call, reason }), enter]
  }
}

/** What becomes of a document when a step has succeeded: for the batch that reports the result. */
export function succeeded(make: Commands, { tenant_id, doc_id }: Pdf, step_id: string) {
  const call = { tenant_id, actor: step_id, adapter: step_id }
  return (MOVES[step_id]?.done ?? []).map((state) => make.updateState(doc_id, state, call))
}

/** The job decides whether there is another attempt (`retry_at`); its document follows. */
export async function fail(
  { ledger }: Scene,
  { tenant_id, doc_id }: Pdf,
  step_id: string,
  error: StepError,
  retry_at: string | null,
): Promise<void> {
  await ledger.documents.updateState(doc_id, retry_at === null ? 'failed' : 'retrying', {
    tenant_id,
    actor: step_id,
    adapter: step_id,
    error: new Error(`${error.code}: ${error.message}`),
  })
}
