import { basename } from 'node:path'
import type { ImportDocuments } from '../../core/document/import.ts'
import { MIGRATION } from '../../core/document/legacy-marks.ts'
import type { Batch } from './target.ts'

interface Source {
  readonly tenant_id: string
  readonly input: string
  /** Whether anybody will read why the history has it. */
  readonly isTold: boolean
}

export function importCommand(
  { transitions, claim }: Batch,
  { tenant_id, input, isTold }: Source,
): ImportDocuments {
  const from = `${basename(input)} line`
  return {
    type: 'importDocuments',
    tenant_id,
    past: transitions.map(({ past }) => past),
    // Joined, not added: a string that is still in two parts makes JSON.stringify four times slower.
    reasons: isTold ? transitions.map(({ line }) => [from, line].join(' ')) : [],
    claim,
    actor: MIGRATION,
  }
}
