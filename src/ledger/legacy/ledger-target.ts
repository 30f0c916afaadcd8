import type { ImportAnswer } from '../../core/document/import.ts'
import type { Committer } from '../committer.ts'
import { importCommand } from './import-command.ts'
import type { Batch, Target } from './target.ts'

/** Into a ledger, each batch in a commit of its own. */
export class LedgerTarget implements Target {
  readonly remembers = true
  readonly #committer: Committer
  readonly #from: { readonly tenant_id: string; readonly input: string }

  constructor(committer: Committer, from: { readonly tenant_id: string; readonly input: string }) {
    this.#committer = committer
    this.#from = from
  }

  ownerOf(key: string): Promise<string | null> {
    return this.#committer.store.ownerOf({ tenant_id: this.#from.tenant_id, key })
  }

  take(batch: Batch): Promise<ImportAnswer> {
    return this.#committer.run(importCommand(batch, { ...this.#from, isTold: true }))
  }
}
