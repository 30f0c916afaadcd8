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

it('keeps the histories of two rows apart', () => {
  const draft = draftOf()
  const first = present(draft.outbox[0], 'a row')
  const second = { ...first, outbox_id: 'second' }
  draft.addRow(second)
  draft.moveRow(first, 'SENT', {})
  draft.moveRow(second, 'FAILED_FINAL', {})
  expect(draft.finish(null).change.audit.map(({ id, path }) => [id, ...path])).toEqual([
    [first.outbox_id, 'PENDING', 'SENT'],
    ['second', 'PENDING', 'FAILED_FINAL'],
  ])
})

it('puts what it was told to change and nothing else', () => {
  const draft = draftOf()
  expect(draft.finish(null).change.puts).toEqual([])
  draft.setStep(0, { holder: 'ada' })
  draft.setStep(0, { holder: 'bob' })
  expect(draft.finish(null).change.puts).toMatchObject([{ kind: 'step', holder: 'bob' }])
})
