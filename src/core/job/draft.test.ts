import { expect, it } from 'vitest'
import { protocolOf, pushed } from '../../../test/fixtures/job-commands.ts'
import { KernelLedger } from '../../../test/fixtures/kernel-ledger.ts'
import { present } from '../must.ts'
import { JobDraft } from './draft.ts'

const by = { actor: 'test', reason: null }

function draftOf(): JobDraft {
  const ledger = new KernelLedger()
  ledger.submit({ protocol: protocolOf(pushed('ocr')) })
  return new JobDraft(present(ledger.get('job', 't1', 'j1'), 'the job is there'), by, ledger)
}

// A rule that asks for a move that no machine has is a mistake in the rules: nothing may be written of it.
it.each<[string, (draft: JobDraft) => unknown]>([
  ['job j1 may go from DISPATCHING to SUCCEEDED', (draft) => draft.moveJob('SUCCEEDED')],
  ['step ocr may go from DISPATCHING to SUCCEEDED', (draft) => draft.moveStep(0, 'SUCCEEDED', {})],
  [
    'outbox row id-2 may go from PENDING to PENDING',
    (draft) => draft.moveRow(present(draft.outbox[0], 'a row'), 'PENDING', {}),
  ],
])('stops at a move that does not exist: %s', (message, move) => {
  expect(() => move(draftOf())).toThrow(`Broken invariant: ${message}`)
})
