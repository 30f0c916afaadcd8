import { basename } from 'node:path'
import type { ImportDocuments } from '../../core/document/import.ts'
import { MIGRATION } from '../../core/document/legacy-marks.ts'
import type { Batch } from './target.ts'

/** Who the history says it was. */

export function importCommand(
  { transitions, claim }: Batch,
  { tenant_id, input }: { readonly tenant_id: string; readonly input: string },
): ImportDocuments {
  const from = `${basename(input)} line`
  return {
    type: 'importDocuments',
    tenant_id,
    past: transitions.map(({ past }) => past),
    // Joined, not added: a string that is still in two parts makes JSON.stringify four times slower.
    reasons: transitions.map(({ line }) => [from, line].join(' ')),
    claim,
    actor: MIGRATION,
  }
}
