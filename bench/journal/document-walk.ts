import type { Ledger, LedgerState } from 'waybill'

/** The way of a document through the machine, after `pending`. */
export const WALK = [
  'fetching',
  'fetched',
  'parsing',
  'parsed',
  'validating',
  'validated',
  'ir_building',
  'ir_ready',
  'embedding',
  'indexed',
  'completed',
] as const satisfies readonly LedgerState[]

export const ADAPTER = 'pubmed'

export interface Walk {
  readonly callers: number
  /** Of all callers together. */
  readonly transitions: number
}

/** The document that a caller moves with its nth call: one after the other, each to the end of its way. */
export function walkedDocument(caller: number, nth: number): string {
  return `doc:${caller}:${Math.floor(nth / WALK.length)}`
}

/** Callers that move documents as fast as they are answered. */
export async function walkDocuments(ledger: Ledger, { callers, transitions }: Walk): Promise<void> {
  const each = Math.floor(transitions / callers)
  await Promise.all(
    Array.from({ length: callers }, async (_, caller) => {
      for (let nth = 0; nth < each; nth++) {
        const state = WALK[nth % WALK.length] as LedgerState
        await ledger.documents.updateState(walkedDocument(caller, nth), state, { adapter: ADAPTER })
      }
    }),
  )
}
