import type { ImportAnswer } from '../../core/document/import.ts'
import type { PreparedBlock, TransitionLine } from './prepare-lines.ts'

/** Where transitions go: into a ledger, into another file, or, in a dry run, nowhere. */
export interface Target {
  /** Remembers what it was given, so that nothing is taken over twice: then claims are made and asked for. */
  readonly remembers: boolean
  ownerOf(key: string): Promise<string | null>
  take(batch: Batch): Promise<ImportAnswer>
}

/** Some of the transitions of a block, from its first one that was not taken over before. */
export interface Batch extends PreparedBlock {
  readonly transitions: readonly TransitionLine[]
  readonly claim: { readonly key: string; readonly owner: string }
}
