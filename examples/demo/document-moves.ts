import type { Commands, LedgerState, StepError } from 'waybill'
import type { Pdf } from './library.ts'
import type { Scene } from './scene.ts'

interface Moves {
  /** The states it goes through when the step begins; the last is where it is while the step is at work. */
  readonly begun: readonly LedgerState[]
  /** The states it goes through when the step has succeeded. */
  readonly done: readonly LedgerState[]
}

const MOVES: { readonly [step_id: string]: Moves } = {
  download: { begun: ['fetching'], done: ['fetched'] },
  ocr: { begun: ['parsing'], done: ['parsed'] },
  parse: { begun: ['validating'], done: ['validated', 'ir_building'] },
  embed: { begun: ['ir_ready', 'embedding'], done: ['completed'] },
}

/** A step begins. A document that is still in its working state was left behind by an attempt that fell silent. */
export async function entering({ ledger }: Scene, { tenant_id, doc_id }: Pdf, step_id: string) {
  const begun = MOVES[step_id]?.begun ?? []
  const working = begun.at(-1)
  const call = { tenant_id, actor: step_id, adapter: step_id }
  const state = await ledger.documents.getState(doc_id, tenant_id)
  return (make: Commands) => {
    if (working === undefined) return []
    if (state === 'retrying') return [make.updateState(doc_id, working, call)]
    if (state !== working) return begun.map((next) => make.updateState(doc_id, next, call))
    const reason = 'the last attempt fell silent'
    return [
      make.updateState(doc_id, 'retrying', { ...call, reason }),
      make.updateState(doc_id, working, call),
    ]
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
